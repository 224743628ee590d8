import { randomBytes } from 'node:crypto'
import type { HashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { buildAuthenticationResponse, type ResponseParameters } from '../../../../hash-lock/authentication-response.ts'
import { appendHash } from '../../../../hash-lock/return-address.ts'
import { nowSeconds } from '../../service/service.ts'
import { request } from '../request.ts'

const LIFETIME_SECONDS = 60
/** No viewer has this name. Nothing is played, so no report shows it. */
export const UNKNOWN_VIEWER = 'viewer-auth-doctor'

/**
 * Tries responses at the return address of the player: two with the secret, and two with a random secret. True only if
 * the service answers both right ones alike, both wrong ones alike, and the right ones differently. Every response has
 * its own expiry, so a page that only repeats the response is different each time, and proves nothing. Most services
 * answer all alike, because their player checks the response in a later step.
 */
export async function serviceKnowsSecret(
  { secret, parameters, playerAddress }: HashEntryPoint,
  signal: AbortSignal,
): Promise<boolean> {
  const named: ResponseParameters = parameters.map(({ name }) => [name, UNKNOWN_VIEWER])
  const expiresAtSeconds = Math.floor(nowSeconds()) + LIFETIME_SECONDS
  const wrongSecret = randomBytes(secret.length).toString('hex')
  const answers: (string | null)[] = []
  // Right and wrong alternate in this order, so that two servers that take turns do not look like two answers.
  for (const [index, key] of [secret, wrongSecret, wrongSecret, secret].entries()) {
    const response = buildAuthenticationResponse(named, expiresAtSeconds + index, key)
    answers.push(await answerTo(appendHash(playerAddress, response), signal))
  }
  const [right, wrong, wrongAgain, rightAgain] = answers
  return right !== null && wrong !== null && right === rightAgain && wrong === wrongAgain && right !== wrong
}

/** Returns what a browser would see of the answer. Null without an answer. */
async function answerTo(address: string, signal: AbortSignal): Promise<string | null> {
  const answer = await request(address, signal)
  if (!(answer instanceof Response)) return null
  return JSON.stringify([answer.status, answer.headers.get('location'), await answer.text()])
}
