import type { BrowserAnswer } from './browser.ts'
import { type ExpectedResponse, faultInResponse, responseIn } from './expected-response.ts'

/**
 * `screen`: opens the screen. `ask`: asks for a code. `arrival`: waits for it. `wrong` and `right`: posts such a password or
 * code. `wait`: loads the page again on which the viewer waits. `return`: comes back with the session.
 */
export type RequestKind = 'screen' | 'ask' | 'arrival' | 'wrong' | 'right' | 'wait' | 'return'

/** Those after which the viewer may be in. */
export const WAYS_TO_THE_PLAYER: readonly RequestKind[] = ['right', 'wait', 'return']

/**
 * The result of one request:
 * - `passed`: as it should be, also a wrong password that was refused
 * - `asked-to-wait`: 503 or 429 with Retry-After
 * - `unanswered`: no answer, or 502 or 504 of a proxy
 * - `session-ended`: the sign-in screen for a viewer who came back
 * - `held`: kept from the player for a reason that this drill expects
 * - `refused`: 401 or 403 for the right password, or a page on which the viewer must wait
 * - `let-in-wrongly`: a response without the right password
 * - `wrong-response`: a response that the service would refuse, or that is for another viewer
 * - `error`: any other answer
 */
export type Outcome =
  | 'passed'
  | 'asked-to-wait'
  | 'unanswered'
  | 'session-ended'
  | 'held'
  | 'refused'
  | 'let-in-wrongly'
  | 'wrong-response'
  | 'error'

export interface Judgment {
  readonly outcome: Outcome
  /** The reason, without a value of the answer. Empty if passed. */
  readonly fault: string
  /** The reason that the app gave for 401, 403, 429 or 503. */
  readonly reason?: string | undefined
}

const PASSED: Judgment = { outcome: 'passed', fault: '' }
/** Proxies send these when a copy of the app does not answer. */
const NO_ANSWER = [502, 504]
const WAIT = [429, 503]

/** Judges an answer of the app. `nowSeconds` is UNIX time in seconds. @param typed what viewers type. */
export function judge(
  kind: RequestKind,
  answer: BrowserAnswer,
  username: string,
  expected: ExpectedResponse,
  nowSeconds: number,
  typed = 'password',
): Judgment {
  const { status, retryAfterSeconds, location, reason } = answer
  const response = responseIn(location)
  const because = reason === undefined ? '' : `: ${reason}`
  const isWayIn = WAYS_TO_THE_PLAYER.includes(kind)
  if (response !== null && !isWayIn) {
    const how = kind === 'wrong' ? `with a wrong ${typed}` : `without a ${typed}`
    return { outcome: 'let-in-wrongly', fault: `a viewer got a response ${how}` }
  }
  if (NO_ANSWER.includes(status)) return { outcome: 'unanswered', fault: `${status} of a proxy` }
  if (WAIT.includes(status) && retryAfterSeconds !== null)
    return { outcome: 'asked-to-wait', fault: `${status} with Retry-After${because}`, reason }
  if (response !== null && status === 303) {
    const fault = faultInResponse(response, username, expected, nowSeconds)
    return fault === null ? PASSED : { outcome: 'wrong-response', fault }
  }
  const isRefused = status === 401 || status === 403
  if (isWayIn && (isRefused || (status === 200 && reason !== undefined))) {
    const why = isRefused ? `${status} for the right ${typed}` : 'the app held the viewer back'
    const outcome = expected.holds?.[reason ?? ''] === undefined ? 'refused' : 'held'
    return { outcome, fault: why + because, reason }
  }
  switch (kind) {
    case 'screen':
      return isSignInScreen(answer) ? PASSED : error(answer, 'a sign-in screen')
    case 'ask':
    case 'arrival':
      return status === 200 ? PASSED : error(answer, 'the form for a code')
    case 'wrong':
      return status === 401 ? PASSED : error(answer, `401 for a wrong ${typed}`)
    case 'wait':
    case 'return':
      return isSignInScreen(answer)
        ? { outcome: 'session-ended', fault: 'the session had ended' }
        : error(answer, 'a response for a viewer who came back')
    case 'right':
      return error(answer, `a response for the right ${typed}`)
  }
}

function error({ status }: BrowserAnswer, expected: string): Judgment {
  const lacking = WAIT.includes(status) ? ' without Retry-After' : ''
  return { outcome: 'error', fault: `${status}${lacking} instead of ${expected}` }
}

/** Ways in have different fields: a screen on which a viewer can type is a sign-in screen. */
function isSignInScreen({ status, page }: BrowserAnswer): boolean {
  return status === 200 && /<input\b(?![^>]*\btype="?hidden\b)/i.test(page)
}
