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
  readonly embedderPolicy: string
  readonly resourcePolicy: string | null
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
    embedderPolicy: tokenOf(headers.get('cross-origin-embedder-policy')) || 'unsafe-none',
    resourcePolicy: tokenOf(headers.get('cross-origin-resource-policy')) || null,
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
  return { ...parent, policies, xFrameOptions: null, resourcePolicy: 'cross-origin', element }
}

/** Creates a document with an address only. Its headers refuse nothing. */
export function assumedDocument(
  url: URL,
  parent?: FramedDocument,
  element: FramedDocument['element'] = null,
): FramedDocument {
  const headers = new Headers({ 'cross-origin-resource-policy': 'cross-origin' })
  const assumed = documentOf([url], headers, element)
  return { ...assumed, embedderPolicy: parent?.embedderPolicy ?? assumed.embedderPolicy }
}

/** True if browsers trust the address: https, and all names of this machine. */
export function isTrustworthy({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || isLoopbackName(hostname)
}

/** The address without its query, which may hold secrets. */
export function shown(url: URL | undefined): string {
  return url === undefined ? '' : url.origin + url.pathname
}

/** Returns the value of a header without its parameters. */
function tokenOf(value: string | null): string {
  return value?.split(';')[0]?.trim().toLowerCase() ?? ''
}
