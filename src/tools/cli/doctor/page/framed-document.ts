import { isLoopbackName } from '../../../../settings/fields.ts'
import type { FrameElement } from './page-html.ts'
import { type Policy, parseMetaPolicies, parsePolicies } from './policy.ts'

/** A page, or what a frame shows: all that browsers look at before they show a frame. */
export interface FramedDocument {
  /** The address that was asked for, and those that it redirects to. A `srcdoc` has the addresses of its page. */
  readonly addresses: readonly [URL, ...URL[]]
  /** The last of the addresses. */
  readonly url: URL
  readonly policies: readonly Policy[]
  readonly xFrameOptions: string | null
  /** The element that frames it. Null for a page of its own, and for a frame that a script makes. */
  readonly element: Omit<FrameElement, 'content'> | null
}

/** Creates a document from the headers of an answer. */
export function documentOf(
  addresses: FramedDocument['addresses'],
  headers: { get(name: string): string | null },
  element: FramedDocument['element'],
  metaPolicies: readonly string[] = [],
): FramedDocument {
  return {
    addresses,
    url: addresses.at(-1) ?? addresses[0],
    policies: [...parsePolicies(headers.get('content-security-policy')), ...parseMetaPolicies(metaPolicies)],
    xFrameOptions: headers.get('x-frame-options'),
    element,
  }
}

/** Creates the document of a `srcdoc`: it has the origin and the policies of its page. */
export function srcdocOf(
  parent: FramedDocument,
  element: FramedDocument['element'],
  metaPolicies: readonly string[],
): FramedDocument {
  const inherited = parent.policies.map(
    (policy) => new Map([...policy].filter(([name]) => name !== 'frame-ancestors' && name !== 'sandbox')),
  )
  const policies = [...inherited, ...parseMetaPolicies(metaPolicies)]
  return { ...parent, policies, xFrameOptions: null, element }
}

/** Creates a document with an address only. Its headers refuse nothing. */
export function assumedDocument(url: URL, element: FramedDocument['element'] = null): FramedDocument {
  return documentOf([url], new Headers(), element)
}

/** True if browsers trust the address: https, and all names of this machine. */
export function isTrustworthy({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || isLoopbackName(hostname)
}

/** The address without its query, which may hold secrets. */
export function shown(url: URL | undefined): string {
  return url === undefined ? '' : url.origin + url.pathname
}
