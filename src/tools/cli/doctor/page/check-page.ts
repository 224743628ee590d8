import { type EntryPoint, type HashEntryPoint, isHashEntryPoint } from '../../../../entry-points/entry-point.ts'
import type { LockTarget } from '../../../video-service/locks.ts'
import { addressOf } from '../../settings/chosen-entry-point.ts'
import type { SeenPlayer } from '../answer-check.ts'
import { answerAt, type DoctorConfig, type FeatureChecks } from '../feature-check.ts'
import { type Finding, failure, findingOf, ok, unknown, warning } from '../finding.ts'
import { checkPageConsumers } from './consumers.ts'
import { assumedDocument, type FramedDocument, shown } from './framed-document.ts'
import { loadScreen } from './load-page.ts'
import { checkLocalNetwork, checkUnseenPlayer } from './local-network.ts'
import { loadOrExplain, pageFaults, whyPlayerIsMissing } from './missing-player.ts'
import { frameSource, missingFlags, obstaclesOn } from './obstacles.ts'
import { refusedInFrame } from './policy.ts'

/** The sign-in screen that the player of a page should show. */
interface Target {
  readonly config: DoctorConfig
  /** The entry point of the lock; all entry points if the lock is not known. */
  readonly entryPoints: readonly HashEntryPoint[]
  readonly isLockKnown: boolean
  /** The channel or video whose lock was checked. Null if none was named. */
  readonly content: LockTarget | null
}

/**
 * Checks if browsers show the sign-in screen in the player on each of the pages.
 * @param entryPointOfLock the name; undefined if the lock is not known.
 * @param content the channel or video whose lock was checked.
 * @returns the players that send their own frames to an entry point.
 */
export async function* checkPages(
  config: DoctorConfig,
  entryPointOfLock: string | undefined,
  addresses: readonly URL[],
  signal: AbortSignal,
  content: LockTarget | null = null,
): AsyncGenerator<Finding, readonly SeenPlayer[]> {
  if (addresses.length === 0) yield* withoutPage(config, entryPointOfLock)
  const isLockKnown = entryPointOfLock !== undefined
  const entryPoints = config.entryPoints.filter(({ name }) => !isLockKnown || name === entryPointOfLock)
  const target = { config, isLockKnown, content, entryPoints: entryPoints.filter(isHashEntryPoint) }
  const hasHash = target.entryPoints.length > 0
  const answers = config.answerChecks.filter(({ at }) => entryPoints.some((entryPoint) => at(entryPoint) !== null))
  const players: SeenPlayer[] = []
  for (const address of addresses) {
    let isSeen = false
    for (const answer of answers) {
      for (const { player, path } of yield* answer.checkPage(config, address, hasHash, signal)) {
        isSeen = true
        players.push(player)
        for (const finding of checkPopups(config, [player.entryPoint], path))
          yield findingOf(config, player.entryPoint, finding)
      }
    }
    if (!isSeen && hasHash) yield* checkPage(target, address, signal)
  }
  return players
}

/** Without a page, the player of the settings counts. All entry points have the host of PUBLIC_URL. */
async function* withoutPage(config: DoctorConfig, entryPointOfLock: string | undefined): AsyncGenerator<Finding> {
  yield unknown(
    'no-page',
    'No page that embeds the player was checked. Name each one with --page: browsers show the sign-in screen only if its origin is in PLAYER_ORIGINS.',
  )
  const entryPoint =
    config.entryPoints.find(({ name }) => name === entryPointOfLock) ?? config.entryPoints.find(isHashEntryPoint)
  if (entryPoint === undefined) return
  const player = isHashEntryPoint(entryPoint)
    ? entryPoint.playerAddress.origin
    : answerAt(config, entryPoint)?.playerOrigin
  if (player) yield* await checkUnseenPlayer(new URL(player), config.publicUrl)
}

/** Checks one page. */
async function* checkPage(target: Target, address: URL, signal: AbortSignal): AsyncGenerator<Finding> {
  const playerOrigins = [...new Set(target.entryPoints.map(({ playerAddress }) => playerAddress.origin))]
  // Embed codes with http are common: most players redirect to https, and browsers refuse them on pages with https.
  const isPlayer = ({ href, origin }: URL) =>
    [origin, new URL(href.replace(/^http:/, 'https:')).origin].some((one) => playerOrigins.includes(one))
  const loaded = await loadOrExplain(address, isPlayer, signal)
  if ('state' in loaded) return yield loaded
  const { page, players } = loaded
  yield* pageFaults(address, loaded)
  const missing = whyPlayerIsMissing(address, loaded, playerOrigins)
  if (missing !== null) yield missing
  // A page that cannot be seen as viewers see it says nothing about its origin.
  if (missing?.code === 'page-not-checked') return
  const other = otherContent(address, players, target.content)
  if (other !== null) yield other
  const assumed = playerOrigins.slice(0, 1).map((origin) => [page, assumedDocument(new URL(origin))])
  const seen = new Set<string>()
  for (const path of missing === null ? players : assumed) {
    for await (const finding of checkPlayer(target, path, signal)) {
      const line = JSON.stringify(finding)
      // Nothing is proven of a player that was not seen.
      if (!seen.has(line) && !(missing !== null && finding.state === 'ok')) yield finding
      seen.add(line)
    }
  }
  yield* checkPageConsumers(target.config, target.entryPoints, loaded.frames, signal)
}

/** Checks one path from the page to the player, with the sign-in screen of each entry point in the player. */
async function* checkPlayer(
  { config, entryPoints, isLockKnown }: Target,
  path: readonly FramedDocument[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const toPlayer = obstaclesOn(path)
  yield* toPlayer
  const lists: Finding[][] = []
  // The origin of the player changes with the address.
  const isFinal = toPlayer.every(({ code }) => code !== 'page-mixed-content')
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
  yield* checkPopups(config, entryPoints, path)
  if (lists.length > 0 && toPlayer.length + lists.flat().length === 0) {
    yield ok('page', `Browsers show the sign-in screen in the player on the page ${shown(path[0]?.url)}.`)
  }
}

/** Returns what keeps the sign-in screen out of the player. Null if the screen does not answer. */
async function checkScreen(
  config: DoctorConfig,
  entryPoint: HashEntryPoint,
  path: readonly FramedDocument[],
  known: number,
  signal: AbortSignal,
): Promise<Finding[] | null> {
  const screen = await loadScreen(new URL(addressOf(config, entryPoint)), signal)
  if (screen === null) return null
  const whole = [...path, screen]
  const { playerOrigins } = entryPoint
  const findings = obstaclesOn(whole, { playerOrigins, isInPlayer: true }).slice(known)
  findings.push(...(await checkLocalNetwork(whole)))
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
    if (refused !== null) findings.push(frameSource(shown(path[0]?.url), player, refused, true))
  }
  return findings.map((finding) => findingOf(config, entryPoint, finding))
}

/**
 * Compares the players of a page with the channel or video whose lock was checked: the player decides which lock counts.
 * @returns null if all players have its id, or if there is nothing to compare.
 */
function otherContent(
  address: URL,
  players: readonly (readonly FramedDocument[])[],
  target: LockTarget | null,
): Finding | null {
  const seen = players.flatMap((path) => path.at(-1)?.addresses[0] ?? [])
  const others = target === null ? [] : seen.filter((url) => !shows(url, target))
  if (target === null || others.length === 0) return null
  const names = others.map((url) => shown(url)).join(', ')
  return unknown(
    'page-other-content',
    `The page ${shown(address)} ${others.length < seen.length ? 'also ' : ''}embeds ${names}, which does not name the ${target.kind} ${target.id}. So the lock that was checked may not be the lock of this page. Use --channel or --video with what the page shows, or correct the page.`,
  )
}

/** True if a part of the address is the id. A recorded video is below the folder `recorded`. */
function shows({ pathname, searchParams }: URL, { kind, id }: LockTarget): boolean {
  const parts = pathname.split('/')
  const at = parts.indexOf(id)
  if (at === -1) return [...searchParams.values()].includes(id)
  return kind === 'video' || parts[at - 1] !== 'recorded'
}

/** A sandbox can keep the sign-in screen from opening a window, and the screen does not notice it. */
function* checkPopups(
  { featureChecks }: Pick<FeatureChecks, 'featureChecks'>,
  entryPoints: readonly Pick<EntryPoint, 'features'>[],
  path: readonly FramedDocument[],
): Generator<Finding> {
  const forWindow = missingFlags(path, ['allow-popups', 'allow-popups-to-escape-sandbox'])
  const page = shown(path[0]?.url)
  const windows = featureChecks
    .flatMap((feature) => feature.window ?? [])
    .filter((window) => entryPoints.some(window.isOpenedBy))
  if (forWindow.length > 0 && windows.length > 0) {
    const names = windows.map(({ name }) => name).join(' and ')
    const text = `${page}: the frame of the player has sandbox without ${forWindow.join(', ')}, so the window of ${names} does not open, or does not work. Add these.`
    // Without the second flag, it depends on the headers of the provider.
    yield forWindow.includes('allow-popups') &&
    entryPoints.every((entryPoint) => windows.some((window) => window.isOpenedBy(entryPoint)))
      ? failure('page-sandbox-window', text)
      : unknown('page-sandbox-window', text)
  } else if (forWindow.includes('allow-popups')) {
    yield warning(
      'page-sandbox-links',
      `${page}: the frame of the player has sandbox without allow-popups. Links of the sign-in screen, such as "Forgot password?", then do nothing. Add allow-popups.`,
    )
  }
}
