import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { Config } from '../../../../config.ts'
import { appendToken, decideRef } from '../../../../features/token/ref-address.ts'
import { buildViewerToken } from '../../../../features/token/viewer-token/viewer-token.ts'
import { type Finding, failure, findingOf, ok, unknown } from '../../../cli/doctor/finding.ts'
import { aheadSeconds, request } from '../../../cli/doctor/request.ts'
import { nowSeconds } from '../../../cli/service/service.ts'
import { addressOf } from '../../../cli/settings/chosen-entry-point.ts'
import { fetchServiceKeys } from '../../../video-service/token/service-keys.ts'
import { createTransport } from '../../../video-service/transport.ts'
import { loginAddressIn, type TokenPlayer } from './seen-player.ts'

/** No viewer has this name. Nothing is played, so no report shows it. */
const UNKNOWN_VIEWER = 'viewer-auth-doctor'

/** The answer of a player: its page for a token that it accepts, and a redirect to the login app for any other. */
export type PlayerAnswer = 'accepts' | 'sends-back' | 'unclear'

/**
 * Checks a player that asks for tokens: the settings must allow its address, and it must accept their content key.
 * @returns true if the settings allow its address.
 */
export async function* checkPlayer(
  config: Config,
  player: TokenPlayer,
  signal: AbortSignal,
): AsyncGenerator<Finding, boolean> {
  const { entryPoint, fields, shown } = player
  const asks = `The player ${shown} sends viewers to ${addressOf(config, entryPoint)}`
  const decision = decideRef(fields.ref, entryPoint.refAddresses)
  if (!decision.ok) {
    const fix = 'The app refuses every viewer. Add the address of the player to REF_ADDRESSES, and restart the app.'
    yield findingOf(config, entryPoint, failure('ref-not-listed', `${asks}, but ref ${decision.reason}. ${fix}`))
    return false
  }
  yield findingOf(config, entryPoint, judge(await tryContentKey(player, signal), asks))
  return true
}

function judge(answer: Awaited<ReturnType<typeof tryContentKey>>, asks: string): Finding {
  if (answer === 'accepts') {
    return ok(
      'viewer-auth-proven',
      `${asks}. It accepts a token with the content key, and refuses one with another key.`,
    )
  }
  if (answer === 'sends-back') {
    return failure(
      'viewer-auth-key',
      `${asks}, but refuses tokens with the content key. The service has another public key. Check CONTENT_KEY, then run lock set --viewer-auth token.`,
    )
  }
  return unknown(
    'viewer-auth-unproven',
    `${asks}. Its answers do not show which tokens it accepts, so the public key at the service is unknown. Watch the video once.`,
  )
}

/** Opens the player with a token. The player accepts each token once. */
export async function tryToken(
  { entryPoint, fields }: TokenPlayer,
  token: string,
  signal: AbortSignal,
): Promise<PlayerAnswer> {
  const decision = decideRef(fields.ref, entryPoint.refAddresses)
  if (!decision.ok) return 'unclear'
  const answer = await request(appendToken(decision.address, token), signal)
  if (!(answer instanceof Response)) return 'unclear'
  if (loginAddressIn(answer, decision.address.url) !== null) return 'sends-back'
  return answer.status === 200 ? 'accepts' : 'unclear'
}

/**
 * Tries a token signed with another key, and then one signed with the content key: the service does not show the public
 * key of a channel or video. The tokens have the time of the service, so that a wrong clock is not taken for a wrong key.
 * @returns the answer to the second token. `unclear` if the player does not refuse the first, or without service keys.
 */
async function tryContentKey(player: TokenPlayer, signal: AbortSignal): Promise<PlayerAnswer> {
  const { contentKey, serviceKeyUrl } = player.entryPoint
  const keys = await fetchServiceKeys(createTransport(), serviceKeyUrl, signal).catch(() => null)
  signal.throwIfAborted()
  if (keys === null) return 'unclear'
  const serviceNow = nowSeconds() + ((await aheadSeconds(serviceKeyUrl, signal)) || 0)
  const { privateKey: otherKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const answerTo = async (key: typeof contentKey) =>
    tryToken(
      player,
      await buildViewerToken(UNKNOWN_VIEWER, { contentKey: key, serviceKey: keys[0] }, serviceNow),
      signal,
    )
  return (await answerTo(otherKey)) === 'sends-back' ? await answerTo(contentKey) : 'unclear'
}
