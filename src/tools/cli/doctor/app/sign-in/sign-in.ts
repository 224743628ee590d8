import { type HashEntryPoint, isHashEntryPoint } from '../../../../../entry-points/entry-point.ts'
import { describeDiagnosis } from '../../../../../hash-lock/diagnosis.ts'
import { LONG_ANSWER, longAnswer } from '../../../response/response-command.ts'
import { nowSeconds } from '../../../service/service.ts'
import { addressOf, diagnoseForEntryPoint } from '../../../settings/chosen-entry-point.ts'
import type { CommandIo } from '../../../terminal/io.ts'
import { answerAt } from '../../feature-check.ts'
import { type Finding, failure, ok, PROXY_OR_SETTINGS, warning } from '../../finding.ts'
import { slowAnswer } from '../../request.ts'
import { isAway, storeCause } from '../readiness.ts'
import { explainRefusal } from './refusal.ts'
import { storedViewer, type TestViewer } from './test-viewer.ts'
import { isSentOn, startVisit, type Visit, type VisitTarget, visit } from './visit.ts'

/** Proxies add cookies of their own. */
const SESSION_COOKIE = /^(__Host-)?viewer=/

/** Sign-ins besides the first one: a balancer gives them to other copies of the app. */
const OTHER_VISITS = 3

/**
 * Signs the test viewer in over PUBLIC_URL several times, returns with the session, and signs out. Checks each answer,
 * because copies of the app may differ.
 */
export async function* trySignIn(io: CommandIo, target: VisitTarget, viewer: TestViewer): AsyncGenerator<Finding> {
  const { config, entryPoint, player, signal } = target
  const address = addressOf(config, entryPoint)
  const first = await startVisit(target, viewer)
  const { signedIn } = first
  if (!(signedIn instanceof Response)) return yield signedIn
  for (const { explainSignIn } of config.featureChecks) {
    const explained = await explainSignIn?.(signedIn, config, entryPoint, signal)
    if (explained) return yield explained
  }
  if (!isSentOn(signedIn)) {
    const refusal = await explainRefusal(
      address,
      { config, entryPoint },
      signedIn,
      storedViewer(io, config, viewer),
      viewer,
    )
    const cause = refusal.code === 'store-away' ? await storeCause(io, config) : null
    if (cause !== null) yield cause
    return yield (await isSentOnElsewhere(target, viewer))
      ? failure(
          'copies-differ',
          `Of two copies of the app, one lets the test viewer in. Give all copies the same settings. The other: ${refusal.text}`,
        )
      : refusal
  }
  const others = Array.from({ length: OTHER_VISITS }, () => visit(target, viewer))
  const visits = await Promise.all([first.finish(), ...others])
  yield* slowAnswer(address, Math.max(...visits.map(({ slowestMs }) => slowestMs)))
  if (isHashEntryPoint(entryPoint)) yield checkRedirects(address, visits, entryPoint)
  const answer = answerAt(config, entryPoint)
  if (answer) yield await answer.checkRedirect(address, locationOf(signedIn), player, signal)
  const doubt = doubtAboutCookie(signedIn)
  if (doubt === null) yield returnFinding(visits, answer?.name ?? 'response')
  // The checks of the app report this store already: viewers get through without a session.
  else if (doubt.code !== 'no-session-cookie' || !(await isAway('SESSION_STORE_URL', config, signal))) yield doubt
}

/** True if another copy of the app, to which a balancer may give the next requests, lets the viewer in. */
async function isSentOnElsewhere(target: VisitTarget, viewer: TestViewer): Promise<boolean> {
  const tries = await Promise.all([startVisit(target, viewer), startVisit(target, viewer)])
  return tries.some(({ signedIn }) => isSentOn(signedIn))
}

function doubtAboutCookie({ headers }: Response): Finding | null {
  const setCookie = headers.getSetCookie().find((cookie) => SESSION_COOKIE.test(cookie)) ?? ''
  const lacking = ['Secure', 'HttpOnly', 'SameSite=None', 'Partitioned'].filter(
    (attribute) => !setCookie.toLowerCase().includes(`; ${attribute.toLowerCase()}`),
  )
  if (lacking.length === 0) return null
  const effect = 'Viewers get through, but have to sign in again each time.'
  return setCookie === ''
    ? warning(
        'no-session-cookie',
        `The sign-in set no session cookie. ${effect} The session store failed, or a proxy removes the cookie. See the log of the login app.`,
      )
    : warning(
        'cookie-changed',
        `The session cookie lacks ${lacking.join(', ')}. A proxy changes the cookie, so browsers drop it in the frame of the player. ${effect} Correct the proxy.`,
      )
}

function returnFinding(visits: readonly Visit[], name: string): Finding {
  return visits.flatMap(({ again }) => again).every(isSentOn)
    ? ok('viewer-returns', `A returning viewer gets a new ${name} without signing in again.`)
    : warning(
        'return-refused',
        'A returning viewer has to sign in again. Several copies of the app need the same SESSION_STORE_URL and SESSION_SECRET. A proxy must pass the header Cookie.',
      )
}

/** Checks the redirects of all visits, also those of the returning viewer. */
function checkRedirects(address: string, visits: readonly Visit[], entryPoint: HashEntryPoint): Finding {
  const redirects = visits.flatMap(({ signedIn, again }) => [signedIn, ...again.filter(isSentOn)])
  const findings = redirects.map((answer) =>
    answer instanceof Response
      ? isSentOn(answer)
        ? checkRedirect(address, locationOf(answer), entryPoint)
        : failure('refused', `${address} answers ${answer.status} to the same sign-in.`)
      : answer,
  )
  const wrong = findings.filter(({ state }) => state === 'failure')
  const [fault] = wrong
  if (fault === undefined) {
    return (
      findings.find(({ state }) => state === 'warning') ?? checkRedirect(address, locationOf(redirects[0]), entryPoint)
    )
  }
  if (wrong.length === findings.length) return fault
  return failure(
    'copies-differ',
    `${wrong.length} of ${findings.length} answers to the test viewer are wrong, the others are right. One copy of the app has other settings or is broken: give all copies the same settings, and restart them. A wrong answer: ${fault.text}`,
  )
}

function locationOf(answer: Response | Finding | undefined): string {
  return answer instanceof Response ? (answer.headers.get('location') ?? '') : ''
}

function checkRedirect(address: string, location: string, entryPoint: HashEntryPoint): Finding {
  const { playerAddress } = entryPoint
  if (!URL.canParse(location) || withoutHash(location) !== withoutHash(playerAddress.url)) {
    return failure('wrong-redirect', `The sign-in does not redirect to ${playerAddress.url}. ${PROXY_OR_SETTINGS}`)
  }
  const response = new URL(location).searchParams.get('hash') ?? ''
  const { diagnosis, secret } = diagnoseForEntryPoint(response, entryPoint, Math.floor(nowSeconds()))
  const text = `The test viewer signed in at ${address} and was sent to the player. The response: ${describeDiagnosis(diagnosis)}`
  if (diagnosis.kind !== 'good') {
    const hint = 'The app runs with other settings than this command. Restart it, or run doctor with its settings.'
    return failure('wrong-response', `${text} ${hint}`)
  }
  if (location.length > LONG_ANSWER) return warning('long-response', `${text} ${longAnswer(location.length)}`)
  return secret === 'current'
    ? ok('signed-in', text)
    : warning(
        'previous-secret',
        `${text} It was built with the previous secret, so the app does not use the current one yet. If this stays, restart the app.`,
      )
}

/** Removes the parameter `hash`, and keeps a fragment. */
function withoutHash(address: string): string {
  const url = new URL(address)
  url.searchParams.delete('hash')
  return url.href
}
