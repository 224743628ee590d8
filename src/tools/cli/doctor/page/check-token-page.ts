import type { Config } from '../../../../config.ts'
import { type Finding, findingOf, ok, unknown } from '../finding.ts'
import { playerBehind, type SeenPlayer, tokenEntryPoints } from '../player/seen-player.ts'
import { findingOfObstacle, shown } from './finding-of-obstacle.ts'
import type { FramedDocument } from './framed-document.ts'
import { loadOrExplain, whyPlayerIsMissing } from './missing-player.ts'
import { obstaclesOn } from './obstacles.ts'
import { checkPopups } from './popups.ts'

/**
 * Checks a page whose player asks for tokens: the frame of the player goes to the login app itself.
 * @param isChoice true if the page may have a player with a hash instead. Without a player that asks for tokens, there
 *   is then no finding.
 * @returns the players that ask for tokens.
 */
export async function* checkTokenPage(
  config: Config,
  address: URL,
  isChoice: boolean,
  signal: AbortSignal,
): AsyncGenerator<Finding, readonly SeenPlayer[]> {
  const refs = tokenEntryPoints(config).flatMap(({ refAddresses }) => refAddresses)
  const origins = [...new Set(refs.map(({ origin }) => origin))]
  const isPlayer = (url: URL) => playerBehind(config, url) !== null || origins.includes(url.origin)
  const loaded = await loadOrExplain(address, isPlayer, signal)
  if ('state' in loaded) {
    if (!isChoice) yield loaded
    return []
  }
  const seen = loaded.players.flatMap((path) => {
    const url = path.at(-1)?.url
    const player = url === undefined ? null : playerBehind(config, url)
    return player === null ? [] : [{ player, path }]
  })
  if (seen.length === 0 && !isChoice) yield whyPlayerIsMissing(address, loaded, origins) ?? asksNothing(address)
  for (const { player, path } of seen) {
    for (const finding of checkPath(player, path)) yield findingOf(config, player.entryPoint, finding)
  }
  return seen.map(({ player }) => player)
}

function* checkPath({ entryPoint }: SeenPlayer, path: readonly FramedDocument[]): Generator<Finding> {
  const obstacles = obstaclesOn(path)
  for (const obstacle of obstacles) {
    // There is no document of the player between the page and the sign-in screen.
    yield findingOfObstacle(obstacle, path, obstacle.kind === 'frame-src' ? undefined : entryPoint)
  }
  yield* checkPopups([entryPoint], path)
  if (obstacles.length === 0) {
    yield ok('page', `Browsers show the sign-in screen in the frame of the player on the page ${shown(path[0]?.url)}.`)
  }
}

function asksNothing(address: URL): Finding {
  return unknown(
    'player-asks-nothing',
    `The player on the page ${shown(address)} sends viewers to no login app of these settings. Check its lock with --channel ID or --video ID. If a script of the player asks for the login, watch the video once.`,
  )
}
