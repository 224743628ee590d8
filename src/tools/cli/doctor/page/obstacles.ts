import { type FramedDocument, isTrustworthy } from './framed-document.ts'
import { ancestorLists, matches, refusedInFrame } from './policy.ts'

/** A reason why browsers do not show a document in a frame, or why its form does not work there. */
export type Obstacle =
  /** `frame-ancestors` of the document lacks these origins. */
  | { readonly kind: 'ancestors'; readonly document: FramedDocument; readonly origins: readonly string[] }
  | { readonly kind: 'x-frame-options'; readonly document: FramedDocument }
  /** The policy of the parent does not let the address into a frame. */
  | { readonly kind: 'frame-src'; readonly parent: FramedDocument; readonly refused: URL }
  /** The parent has Cross-Origin-Embedder-Policy, and the document lacks a header for it. */
  | {
      readonly kind: 'embedder-policy'
      readonly parent: FramedDocument
      readonly document: FramedDocument
      readonly lacks: string
    }
  /** A page with https frames an address with http. */
  | { readonly kind: 'mixed-content'; readonly parent: FramedDocument; readonly refused: URL }
  /** The frame has the attribute `csp`, to which no player agrees. */
  | { readonly kind: 'frame-csp'; readonly document: FramedDocument }
  /** The frame has `sandbox`, or the document has the directive, without these flags. */
  | { readonly kind: 'sandbox'; readonly document: FramedDocument; readonly lacks: readonly string[] }

/** The flags that the player and the sign-in form need in a frame with `sandbox`. */
const NEEDED_FLAGS = ['allow-scripts', 'allow-same-origin', 'allow-forms']

/**
 * Lists what keeps browsers from showing the last document of the path, or its form from working.
 * @param path the page, and the documents that are framed one in the other.
 */
export function obstaclesOn(path: readonly FramedDocument[]): Obstacle[] {
  return path.flatMap((document, index) => {
    const ancestors = path.slice(0, index)
    const parent = ancestors.at(-1)
    const lacks = missingFlags([document], NEEDED_FLAGS)
    const sandbox: Obstacle[] = lacks.length > 0 ? [{ kind: 'sandbox', document, lacks }] : []
    if (parent === undefined) return sandbox
    const refused = refusedInFrame(parent.policies, document.addresses, parent.url)
    return [
      ...(refused === null ? [] : [{ kind: 'frame-src', parent, refused } as const]),
      ...mixedContent(ancestors, parent, document),
      ...sandbox,
      ...(document.element?.csp ? [{ kind: 'frame-csp', document } as const] : []),
      ...refusedAncestors(ancestors, document),
      ...missingEmbedderHeaders(parent, document),
    ]
  })
}

/** Returns those of the flags that a `sandbox` of the path does not allow. */
export function missingFlags(path: readonly FramedDocument[], flags: readonly string[]): string[] {
  const lists = path.flatMap(sandboxes)
  return flags.filter((flag) => lists.some((list) => !list.includes(flag)))
}

function sandboxes({ element, policies }: FramedDocument): (readonly string[])[] {
  const lists = [element?.sandbox, ...policies.map((policy) => policy.get('sandbox'))]
  return lists.filter((list) => list !== null && list !== undefined)
}

/** Browsers check all ancestors. They ignore X-Frame-Options if there is a `frame-ancestors`. */
function refusedAncestors(ancestors: readonly FramedDocument[], document: FramedDocument): Obstacle[] {
  const lists = ancestorLists(document.policies)
  if (lists.length === 0) {
    const values = new Set((document.xFrameOptions ?? '').split(',').map((value) => value.trim().toLowerCase()))
    const isRefused =
      values.has('deny') ||
      (values.has('sameorigin') && !ancestors.every(({ url }) => url.origin === document.url.origin))
    return isRefused ? [{ kind: 'x-frame-options', document }] : []
  }
  const refused = ancestors.filter(
    ({ url }) => !lists.every((list) => list.some((source) => matches(source, new URL(url.origin), document.url))),
  )
  const origins = [...new Set(refused.map(({ url }) => url.origin))]
  return origins.length > 0 ? [{ kind: 'ancestors', document, origins }] : []
}

/** Only pages with a trustworthy address can have an embedder policy. */
function missingEmbedderHeaders(parent: FramedDocument, document: FramedDocument): Obstacle[] {
  if (!/^(require-corp|credentialless)$/.test(parent.embedderPolicy) || !isTrustworthy(parent.url)) return []
  if (document.element?.isCredentialless) return []
  const isOwn = document.url.origin === parent.url.origin
  const isShared = document.resourcePolicy === 'cross-origin'
  const isSameSite = document.resourcePolicy === 'same-site' && document.url.hostname === parent.url.hostname
  const lacks = [
    ...(document.embedderPolicy === 'unsafe-none' ? ['Cross-Origin-Embedder-Policy: require-corp'] : []),
    ...(isOwn || isShared || isSameSite ? [] : ['Cross-Origin-Resource-Policy: cross-origin']),
  ]
  return lacks.map((lacking) => ({ kind: 'embedder-policy', parent, document, lacks: lacking }))
}

function mixedContent(
  ancestors: readonly FramedDocument[],
  parent: FramedDocument,
  document: FramedDocument,
): Obstacle[] {
  if (!ancestors.some(({ url }) => url.protocol === 'https:')) return []
  const refused = document.addresses.find((address) => !isTrustworthy(address))
  return refused === undefined ? [] : [{ kind: 'mixed-content', parent, refused }]
}
