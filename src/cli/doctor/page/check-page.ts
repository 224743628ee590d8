import type { Config } from '../../../config.ts'
import { isHashEntryPoint } from '../../../entry-points/entry-point.ts'
import { addressOf, type ChosenEntryPoint } from '../../settings/chosen-entry-point.ts'
import { type Finding, failure, findingOf, ok, unknown, warning } from '../finding.ts'
import { codeOf } from '../request.ts'
import { findingOfObstacle, shown } from './finding-of-obstacle.ts'
import { assumedDocument, type FramedDocument } from './framed-document.ts'
import { type LoadedPage, loadPage, loadScreen } from './load-page.ts'
import { missingFlags, obstaclesOn } from './obstacles.ts'
import { refusedInFrame } from './policy.ts'

/** The sign-in screen that the player of a page should show. */
interface Target {
  readonly config: Config
  /** The entry point of the lock; all entry points if the lock is not known. */
  readonly entryPoints: readonly ChosenEntryPoint[]
  readonly isLockKnown: boolean
}

/**
 * Checks if browsers show the sign-in screen in the player on each of the pages.
 * @param entryPointOfLock the name; undefined if the lock is not known.
 */
export async function* checkPages(
  config: Config,
  entryPointOfLock: string | undefined,
  addresses: readonly URL[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  if (addresses.length === 0) {
    yield unknown(
      'no-page',
      'No page that embeds the player was checked. Name each one with --page: browsers show the sign-in screen only if its origin is in PLAYER_ORIGINS.',
    )
  }
  const isLockKnown = entryPointOfLock !== undefined
  const entryPoints = config.entryPoints
    .filter(isHashEntryPoint)
    .filter(({ name }) => !isLockKnown || name === entryPointOfLock)
  if (entryPoints.length === 0 && addresses.length > 0) {
    yield unknown(
      'page-with-tokens',
      'No page was checked, because the entry point has VIEWER_AUTH=token: the frame of the player goes to the login app itself. Watch the video on each page once.',
    )
    return
  }
  for (const address of addresses) yield* checkPage({ config, entryPoints, isLockKnown }, address, signal)
}

/** Checks one page. */
async function* checkPage(target: Target, address: URL, signal: AbortSignal): AsyncGenerator<Finding> {
  const playerOrigins = [...new Set(target.entryPoints.map(({ playerAddress }) => playerAddress.origin))]
  // Embed codes with http are common: most players redirect to https, and browsers refuse them on pages with https.
  const isPlayer = ({ href, origin }: URL) =>
    [origin, new URL(href.replace(/^http:/, 'https:')).origin].some((one) => playerOrigins.includes(one))
  const loaded = await loadPage(address, isPlayer, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    return unknown(
      'page-not-checked',
      `The page ${shown(address)} does not answer (${codeOf(error)}). Check the address.`,
    )
  })
  if ('state' in loaded) return yield loaded
  const { page, players } = loaded
  const missing = whyPlayerIsMissing(address, loaded, playerOrigins)
  if (missing !== null) yield missing
  // A page that cannot be seen as viewers see it says nothing about its origin.
  if (missing?.code === 'page-not-checked') return
  const assumed = playerOrigins.slice(0, 1).map((origin) => [page, assumedDocument(new URL(origin), page)])
  const seen = new Set<string>()
  for (const path of players.length > 0 ? players : assumed) {
    for await (const finding of checkPlayer(target, path, signal)) {
      const line = JSON.stringify(finding)
      // Nothing is proven of a player that was not seen.
      if (!seen.has(line) && !(missing !== null && finding.state === 'ok')) yield finding
      seen.add(line)
    }
  }
}

/** Returns null if the page was loaded and its HTML holds a player. */
function whyPlayerIsMissing(
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

/** Checks one path from the page to the player, with the sign-in screen of each entry point in the player. */
async function* checkPlayer(
  { config, entryPoints, isLockKnown }: Target,
  path: readonly FramedDocument[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const toPlayer = obstaclesOn(path)
  for (const obstacle of toPlayer) yield findingOfObstacle(obstacle, path)
  const lists: Finding[][] = []
  // The origin of the player changes with the address.
  const isFinal = toPlayer.every(({ kind }) => kind !== 'mixed-content')
  for (const entryPoint of isFinal ? entryPoints : []) {
    const list = await checkScreen(config, entryPoint, path, toPlayer.length, signal)
    // The checks of the app report a screen that does not answer.
    if (list !== null) lists.push(list)
  }
  // The player may belong to another entry point. Without a lock of this app, a player frames no sign-in screen.
  const isOther = lists.some((list) => list.length === 0)
  for (const finding of lists.flat()) {
    const isUndecided = isOther || (!isLockKnown && finding.code === 'player-frame-src')
    yield isUndecided ? { ...finding, state: 'unknown' } : finding
  }
  yield* checkPopups(entryPoints, path)
  if (lists.length > 0 && toPlayer.length + lists.flat().length === 0) {
    yield ok('page', `Browsers show the sign-in screen in the player on the page ${shown(path[0]?.url)}.`)
  }
}

/** A sandbox can keep the sign-in screen from opening a window, and the screen does not notice it. */
function* checkPopups(entryPoints: Target['entryPoints'], path: readonly FramedDocument[]): Generator<Finding> {
  const forWindow = missingFlags(path, ['allow-popups', 'allow-popups-to-escape-sandbox'])
  const page = shown(path[0]?.url)
  if (forWindow.length > 0 && entryPoints.some(({ sso }) => sso !== null)) {
    const text = `${page}: the frame of the player has sandbox without ${forWindow.join(', ')}, so the window of single sign-on does not open. Add these.`
    yield entryPoints.every(({ sso }) => sso !== null)
      ? failure('page-sandbox-window', text)
      : unknown('page-sandbox-window', text)
  } else if (forWindow.includes('allow-popups')) {
    yield warning(
      'page-sandbox-links',
      `${page}: the frame of the player has sandbox without allow-popups. Links of the sign-in screen, such as "Forgot password?", then do nothing. Add allow-popups.`,
    )
  }
}

/** Returns what keeps the sign-in screen out of the player. Null if the screen does not answer. */
async function checkScreen(
  config: Config,
  entryPoint: ChosenEntryPoint,
  path: readonly FramedDocument[],
  known: number,
  signal: AbortSignal,
): Promise<Finding[] | null> {
  const screen = await loadScreen(new URL(addressOf(config, entryPoint)), signal)
  if (screen === null) return null
  const whole = [...path, screen]
  const findings = obstaclesOn(whole)
    .slice(known)
    .map((obstacle) => findingOfObstacle(obstacle, whole, entryPoint))
  const player = path.at(-1)
  const returnUrl = new URL(entryPoint.playerAddress.url)
  if (findings.length === 0 && player?.element && shown(player.url) === shown(returnUrl)) {
    findings.push(
      unknown(
        'return-url-is-player',
        `PLAYER_RETURN_URL ${shown(returnUrl)} is the address of the player itself. Most players receive the response at another address. Ask the video service for {player_return_url}.`,
      ),
    )
  }
  if (findings.length === 0 && player !== undefined) {
    const refused = refusedInFrame(player.policies, [returnUrl], player.url)
    if (refused !== null)
      findings.push(findingOfObstacle({ kind: 'frame-src', parent: player, refused }, whole, entryPoint))
  }
  return findings.map((finding) => findingOf(config, entryPoint, finding))
}
