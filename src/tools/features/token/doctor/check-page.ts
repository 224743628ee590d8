import type { Config } from '../../../../config.ts'
import { type Finding, findingOf, ok, unknown } from '../../../cli/doctor/finding.ts'
import { type FramedDocument, shown } from '../../../cli/doctor/page/framed-document.ts'
import { checkLocalNetwork } from '../../../cli/doctor/page/local-network.ts'
import { loadOrExplain, whyPlayerIsMissing } from '../../../cli/doctor/page/missing-player.ts'
import { obstaclesOn } from '../../../cli/doctor/page/obstacles.ts'
import { playerBehind, type TokenPlayer, tokenEntryPoints } from './seen-player.ts'

/** Checks a page whose player asks for tokens; see AnswerCheck. */
export async function* checkTokenPage(
  config: Config,
  address: URL,
  isChoice: boolean,
  signal: AbortSignal,
): AsyncGenerator<Finding, readonly { player: TokenPlayer; path: readonly FramedDocument[] }[]> {
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
    for (const finding of await checkPath(player, path)) yield findingOf(config, player.entryPoint, finding)
  }
  return seen
}

async function checkPath({ entryPoint }: TokenPlayer, path: readonly FramedDocument[]): Promise<Finding[]> {
  // There is no document of the player between the page and the sign-in screen.
  const findings = obstaclesOn(path, { playerOrigins: entryPoint.playerOrigins, isInPlayer: false })
  findings.push(...(await checkLocalNetwork(path)))
  return findings.length > 0
    ? findings
    : [ok('page', `Browsers show the sign-in screen in the frame of the player on the page ${shown(path[0]?.url)}.`)]
}

function asksNothing(address: URL): Finding {
  return unknown(
    'player-asks-nothing',
    `The player on the page ${shown(address)} sends viewers to no login app of these settings. Check its lock with --channel ID or --video ID. If a script of the player asks for the login, watch the video once.`,
  )
}
