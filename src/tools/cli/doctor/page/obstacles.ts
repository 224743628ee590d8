import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { type Finding, failure, PROXY_OR_SETTINGS } from '../finding.ts'
import { type FramedDocument, isTrustworthy, shown } from './framed-document.ts'
import { ancestorLists, matches, refusedInFrame } from './policy.ts'

/** The sign-in screen at the end of a path. */
interface ScreenOnPath extends Pick<EntryPoint, 'playerOrigins'> {
  /** False if the frame of the player itself shows the screen. */
  readonly isInPlayer: boolean
}

/** The flags that the player and the sign-in form need in a frame with `sandbox`. */
const NEEDED_FLAGS = ['allow-scripts', 'allow-same-origin', 'allow-forms']

/**
 * Lists what keeps browsers from showing the last document of the path, or its form from working, and who can remove it.
 * @param path the page, and the documents that are framed one in the other.
 * @param screen given if the last document is a sign-in screen.
 */
export function obstaclesOn(path: readonly FramedDocument[], screen?: ScreenOnPath): Finding[] {
  const page = shown(path[0]?.url)
  return path.flatMap((document, index) => {
    const ancestors = path.slice(0, index)
    const parent = ancestors.at(-1)
    const lacks = missingFlags([document], NEEDED_FLAGS)
    const sandbox = lacks.length > 0 ? [sandboxed(page, document, lacks)] : []
    if (parent === undefined) return sandbox
    const ofScreen = index === path.length - 1 ? screen : undefined
    const refused = refusedInFrame(parent.policies, document.addresses, parent.url)
    return [
      ...(refused === null ? [] : [frameSource(page, parent, refused, ofScreen?.isInPlayer === true)]),
      ...mixedContent(page, ancestors, document),
      ...sandbox,
      ...refusedAncestors(page, ancestors, document, ofScreen),
    ]
  })
}

function sandboxed(page: string, document: FramedDocument, lacks: readonly string[]): Finding {
  return failure(
    'page-sandbox',
    `${page}: ${shown(document.url)} is in a sandbox without ${lacks.join(', ')}. Add these to the attribute sandbox of its frame, or remove the attribute.`,
  )
}

/** Reports a policy that does not let an address into a frame. @param isPlayer true for the policy of the player. */
export function frameSource(page: string, parent: FramedDocument, refused: URL, isPlayer: boolean): Finding {
  return isPlayer
    ? failure(
        'player-frame-src',
        `${page}: the policy of the player ${shown(parent.url)} does not let ${refused.origin} into a frame. Check that the lock leads to this app.`,
      )
    : failure(
        'page-frame-src',
        `${page}: the Content-Security-Policy of ${shown(parent.url)} does not let ${refused.origin} into a frame. Add it to frame-src of that policy.`,
      )
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
function refusedAncestors(
  page: string,
  ancestors: readonly FramedDocument[],
  document: FramedDocument,
  screen: ScreenOnPath | undefined,
): Finding[] {
  const { url } = document
  const lists = ancestorLists(document.policies)
  if (lists.length === 0) {
    const values = new Set((document.xFrameOptions ?? '').split(',').map((value) => value.trim().toLowerCase()))
    const isRefused =
      values.has('deny') ||
      (values.has('sameorigin') && !ancestors.every((ancestor) => ancestor.url.origin === url.origin))
    const text = `${page}: ${shown(url)} sends X-Frame-Options, so browsers do not show it in a frame. Ask the operator of ${url.host} to remove this header.`
    return isRefused ? [failure('page-frame-refused', text)] : []
  }
  const isAllowed = (origin: string) =>
    lists.every((list) => list.some((source) => matches(source, new URL(origin), url)))
  const origins = [...new Set(ancestors.map((ancestor) => ancestor.url.origin))].filter((origin) => !isAllowed(origin))
  if (origins.length === 0) return []
  if (screen !== undefined) return [refusedByScreen(page, origins, screen)]
  return [
    failure(
      'page-frame-refused',
      `${page}: ${shown(url)} does not allow ${origins.join(', ')} to frame it (frame-ancestors). Ask the operator of ${url.host} to allow it.`,
    ),
  ]
}

function refusedByScreen(page: string, origins: readonly string[], { playerOrigins }: ScreenOnPath): Finding {
  const missing = origins.filter((origin) => !playerOrigins.includes(origin))
  return missing.length > 0
    ? failure(
        'page-origin-missing',
        `PLAYER_ORIGINS lacks ${missing.join(', ')}, so browsers do not show the sign-in screen on ${page}. Add it, and restart the app.`,
      )
    : failure(
        'frame-ancestors',
        `The sign-in screen does not allow ${origins.join(', ')} to frame it, but PLAYER_ORIGINS does. ${PROXY_OR_SETTINGS}`,
      )
}

function mixedContent(page: string, ancestors: readonly FramedDocument[], { addresses }: FramedDocument): Finding[] {
  if (!ancestors.some(({ url }) => url.protocol === 'https:')) return []
  const refused = addresses.find((address) => !isTrustworthy(address))
  const text = `${page} has https, so browsers do not show ${shown(refused)} in it. Embed the https address.`
  return refused === undefined ? [] : [failure('page-mixed-content', text)]
}
