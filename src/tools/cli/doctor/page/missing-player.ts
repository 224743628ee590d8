import { type Finding, unknown } from '../finding.ts'
import { codeOf } from '../request.ts'
import { shown } from './finding-of-obstacle.ts'
import { type LoadedPage, loadPage } from './load-page.ts'

/** Loads a page. Returns a finding if the page does not answer. */
export async function loadOrExplain(
  address: URL,
  isPlayer: (url: URL) => boolean,
  signal: AbortSignal,
): Promise<LoadedPage | Finding> {
  return await loadPage(address, isPlayer, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    return unknown(
      'page-not-checked',
      `The page ${shown(address)} does not answer (${codeOf(error)}). Check the address.`,
    )
  })
}

/** Returns null if the page was loaded and its HTML holds a player. */
export function whyPlayerIsMissing(
  address: URL,
  { page, status, players, isCut }: LoadedPage,
  origins: readonly string[],
): Finding | null {
  if (players.length > 0) return null
  const name = shown(address)
  if (status >= 400) {
    return unknown(
      'page-not-checked',
      `The page ${name} answers ${status}. Check the address. The doctor loads pages without cookies.`,
    )
  }
  if (page.url.origin !== address.origin) {
    return unknown(
      'page-not-checked',
      `The page ${name} leads to ${shown(page.url)}, which has no player. The doctor loads pages without cookies, so this may be a sign-in page. Use --page with the address that shows the player.`,
    )
  }
  const scope = isCut ? 'The first frames of the page' : 'The HTML of the page'
  return unknown(
    'page-player-not-found',
    `${scope} ${name} has no player of ${origins.join(', ')}. If a script makes the player, the doctor cannot see its frame, and only checks the page itself. Open the page in a browser, and press "Log in".`,
  )
}
