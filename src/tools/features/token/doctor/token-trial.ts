import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { appendToken, decideRef } from '../../../../features/token/ref-address.ts'
import { buildViewerToken } from '../../../../features/token/viewer-token/viewer-token.ts'
import { request } from '../../../cli/doctor/request.ts'
import { aheadSeconds } from '../../../cli/doctor/server-clock.ts'
import { nowSeconds } from '../../../cli/service/service.ts'
import { fetchServiceKeys } from '../../../video-service/token/service-keys.ts'
import { createTransport } from '../../../video-service/transport.ts'
import { loginAddressIn, type TokenPlayer } from './seen-player.ts'

/** No viewer has this name. Nothing is played, so no report shows it. */
const UNKNOWN_VIEWER = 'viewer-auth-doctor'

/** The answer of a player: its page for a token that it accepts, and a redirect to the login app for any other. */
export type PlayerAnswer = 'accepts' | 'sends-back' | 'unclear'

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
export async function tryContentKey(player: TokenPlayer, signal: AbortSignal): Promise<PlayerAnswer> {
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
