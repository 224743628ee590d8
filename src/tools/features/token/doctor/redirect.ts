import type { TokenEntryPoint } from '../../../../features/token/fields.ts'
import { appendToken, decideRef } from '../../../../features/token/ref-address.ts'
import { checkEnvelope } from '../../../../features/token/viewer-token/token-check.ts'
import { describeTokenCheck } from '../../../../features/token/viewer-token/token-diagnosis.ts'
import { type Finding, failure, ok, PROXY_OR_SETTINGS, unknown } from '../../../cli/doctor/finding.ts'
import { nowSeconds } from '../../../cli/service/service.ts'
import { fetchServiceKeys } from '../../../video-service/token/service-keys.ts'
import { createTransport } from '../../../video-service/transport.ts'
import { type PlayerAnswer, tryToken } from './check-player.ts'
import type { TokenPlayer } from './seen-player.ts'

/** Returns the `ref` of the player, or without a player one that the settings allow. */
export function refOf({ refAddresses }: TokenEntryPoint, player: TokenPlayer | null): string {
  return player?.fields.ref ?? refAddresses.map(({ origin, path }) => origin + path)[0] ?? ''
}

/**
 * Checks the redirect of a sign-in with refOf(): `ref` with a token, which the player accepts. Without a player
 * that was seen, only the outer part of the token is checked.
 */
export async function checkTokenRedirect(
  address: string,
  location: string,
  entryPoint: TokenEntryPoint,
  player: TokenPlayer | null,
  signal: AbortSignal,
): Promise<Finding> {
  const ref = refOf(entryPoint, player)
  const token = tokenIn(location, ref, entryPoint)
  if (token === null) {
    return failure('wrong-redirect', `The sign-in does not redirect to ref with one token. ${PROXY_OR_SETTINGS}`)
  }
  const signedIn = `The test viewer signed in at ${address} and was sent to the player with a token.`
  const answer = player && (await tryToken(player, token, signal))
  if (answer === 'accepts') return ok('signed-in', `${signedIn} The player accepts it.`)
  const keys = await fetchServiceKeys(createTransport(), entryPoint.serviceKeyUrl, signal).catch(() => null)
  signal.throwIfAborted()
  if (keys === null) {
    const text = `${signedIn} It was not checked, because the service did not answer with its keys now. Try again.`
    return unknown('token-unchecked', text)
  }
  const check = checkEnvelope(
    token,
    keys.map(({ kid }) => kid),
  )
  const described = `${signedIn} ${describeTokenCheck(check, nowSeconds())}`
  return check.ok ? judgeAnswer(answer, described) : failure('wrong-token', `${described} See the log of the app.`)
}

/** Returns the token at the end of the redirect. Null if the redirect leads elsewhere. */
function tokenIn(location: string, ref: string, { refAddresses }: TokenEntryPoint): string | null {
  const decision = decideRef(ref, refAddresses)
  const start = decision.ok ? appendToken(decision.address, '') : null
  const token = start !== null && location.startsWith(start) ? location.slice(start.length) : ''
  return /^[\w.-]+$/.test(token) ? token : null
}

function judgeAnswer(answer: PlayerAnswer | null, described: string): Finding {
  if (answer === null) return ok('signed-in', described)
  if (answer === 'unclear')
    return unknown('token-unjudged', `${described} The answer of the player does not show if it accepts the token.`)
  return failure(
    'token-refused',
    `${described} But the player refuses it: the app runs with another CONTENT_KEY than this command, or its clock is wrong. Restart the app, or correct the clock.`,
  )
}
