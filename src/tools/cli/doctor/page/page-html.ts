import { type DefaultTreeAdapterTypes, parse } from 'parse5'

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

/** A frame of a page. */
export interface FrameElement {
  /** The address; for a `srcdoc`, its HTML. */
  readonly content: URL | string
  /** The flags of the attribute `sandbox`. Null without the attribute. */
  readonly sandbox: readonly string[] | null
  /** The attribute `allow`: the features that the page delegates to the frame. */
  readonly allow: string
}

export type PageHtml = ReturnType<typeof readPageHtml>

/** Finds the frames and policies in the HTML of a page, as a browser does before any script runs. */
export function readPageHtml(html: string, address: URL) {
  const elements = elementsIn(html)
  const base = attribute(elements.find(isNamed('base', 'href')), 'href')
  const baseUrl = base !== null && URL.canParse(base, address.href) ? new URL(base, address) : address
  const policies = elements.filter(
    (element) =>
      element.tagName === 'meta' &&
      isNamed('head')(element.parentNode) &&
      attribute(element, 'http-equiv')?.toLowerCase() === 'content-security-policy',
  )
  return {
    frames: elements.filter((element) => /^i?frame$/.test(element.tagName)).flatMap((frame) => frameOf(frame, baseUrl)),
    /** The contents of the `<meta>` elements with a Content-Security-Policy. */
    policies: policies.map((meta) => attribute(meta, 'content') ?? ''),
    /** True if a `<meta>` leads to another page. */
    leadsAway: elements.some(
      (element) => element.tagName === 'meta' && attribute(element, 'http-equiv')?.toLowerCase() === 'refresh',
    ),
  }
}

/** Returns nothing for a frame without an address of its own: only a script can fill it. */
function frameOf(frame: Element, baseUrl: URL): FrameElement[] {
  const sandbox = attribute(frame, 'sandbox')
  const rest = {
    sandbox: sandbox === null ? null : sandbox.toLowerCase().split(/\s+/).filter(Boolean),
    allow: attribute(frame, 'allow') ?? '',
  }
  const srcdoc = attribute(frame, 'srcdoc')
  if (srcdoc !== null) return [{ content: srcdoc, ...rest }]
  const src = attribute(frame, 'src')?.trim() ?? ''
  const content = src !== '' && URL.canParse(src, baseUrl.href) ? new URL(src, baseUrl) : null
  return content !== null && /^https?:$/.test(content.protocol) ? [{ content, ...rest }] : []
}

/** Returns the elements in the order of the page. Not recursive, because a page may nest its elements very deeply. */
export function elementsIn(html: string): Element[] {
  const elements: Element[] = []
  const left: Node[] = [parse(html)]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if ('tagName' in node) elements.push(node)
    if ('childNodes' in node) left.push(...node.childNodes.toReversed())
  }
  return elements
}

function isNamed(tagName: string, attributeName?: string) {
  return (node: Node | null): node is Element =>
    node !== null &&
    'tagName' in node &&
    node.tagName === tagName &&
    (attributeName === undefined || attribute(node, attributeName) !== null)
}

export function attribute(element: Element | undefined, name: string): string | null {
  return element?.attrs.find((given) => given.name === name)?.value ?? null
}
