import { type Finding, failure, unknown } from '../finding.ts'
import { codeOf } from '../request.ts'
import { shown } from './framed-document.ts'
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

/** Reports what keeps browsers from the page itself, and players that answer with an error. */
export function* pageFaults(address: URL, { isDownload, leadsAway, faultyPlayers }: LoadedPage): Generator<Finding> {
  const name = shown(address)
  if (isDownload) {
    yield failure(
      'page-download',
      `${name} has the header Content-Disposition: attachment, so browsers download the page. Remove the header.`,
    )
  }
  if (leadsAway) {
    yield unknown(
      'page-leads-away',
      `${name} leads to another page by itself (Refresh). Use --page with the page on which viewers stay.`,
    )
  }
  for (const { url, status } of faultyPlayers) {
    yield failure(
      'page-player-away',
      `${name}: the player ${shown(url)} answers ${status}. Check the channel or video in its address, then ask the video service.`,
    )
  }
}

/** Returns null if the page was loaded and its HTML holds a player. */
export function whyPlayerIsMissing(
  address: URL,
  { page, status, players, faultyPlayers, isCut }: LoadedPage,
  origins: readonly string[],
): Finding | null {
  if (players.length + faultyPlayers.length > 0) return null
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
