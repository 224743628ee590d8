import type { Config } from '../../../../config.ts'
import { type EntryPoint, type HashEntryPoint, isHashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { describeDiagnosis } from '../../../../hash-lock/diagnosis.ts'
import { nowSeconds } from '../../service/service.ts'
import { addressOf } from '../../settings/chosen-entry-point.ts'
import { diagnoseForEntryPoint } from '../../settings/diagnose-entry-point.ts'
import type { CommandIo } from '../../terminal/io.ts'
import type { SeenPlayer } from '../answer-check.ts'
import { answerAt } from '../answer-checks.ts'
import { type Finding, failure, ok, PROXY_OR_SETTINGS, warning } from '../finding.ts'
import { request } from '../request.ts'
import { isAway } from './away.ts'
import { explainRefusal } from './refusal.ts'
import { fieldsOf, screenAddress } from './screen-address.ts'
import { readTestViewer, type TestViewer } from './test-viewer.ts'

/** Proxies add cookies of their own. */
const SESSION_COOKIE = /^(__Host-)?viewer=/

/**
 * Signs the test viewer in over PUBLIC_URL, checks the redirect and the cookie, returns with the session, and signs
 * out.
 * @param player a player that asks this entry point. It gets the answer to the sign-in.
 */
export async function* trySignIn(
  io: CommandIo,
  config: Config,
  entryPoint: EntryPoint,
  { username, password }: TestViewer,
  player: SeenPlayer | null,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const { origin } = config.publicUrl
  const address = addressOf(config, entryPoint)
  const post = (path: string, fields: Record<string, string>, cookie = '') => {
    const headers = { Origin: origin, ...(cookie === '' ? {} : { Cookie: cookie }) }
    return request(`${origin}${entryPoint.basePath}${path}`, signal, {
      method: 'POST',
      headers,
      body: new URLSearchParams(fields),
    })
  }
  const signedIn = await post('/sign-in', { ...fieldsOf(entryPoint, player), username, password })
  if (!(signedIn instanceof Response)) return yield signedIn
  if (signedIn.status !== 303) {
    return yield await explainRefusal(address, entryPoint, signedIn, () =>
      readTestViewer(io, config, { username, password }),
    )
  }
  const location = signedIn.headers.get('location') ?? ''
  if (isHashEntryPoint(entryPoint)) yield checkRedirect(address, location, entryPoint)
  const answer = answerAt(entryPoint)
  if (answer) yield await answer.checkRedirect(address, location, player, signal)
  const setCookie = signedIn.headers.getSetCookie().find((cookie) => SESSION_COOKIE.test(cookie)) ?? ''
  const lacking = ['Secure', 'HttpOnly', 'SameSite=None', 'Partitioned'].filter(
    (attribute) => !setCookie.toLowerCase().includes(`; ${attribute.toLowerCase()}`),
  )
  if (lacking.length > 0) {
    // The checks of the app report this store already: viewers get through without a session.
    if (setCookie === '' && (await isAway('SESSION_STORE_URL', config, signal))) return
    return yield failure(
      setCookie === '' ? 'no-session-cookie' : 'cookie-changed',
      setCookie === ''
        ? 'The sign-in set no session cookie. The session store failed, or a proxy removes the cookie. See the log of the login app.'
        : `The session cookie lacks ${lacking.join(', ')}. A proxy changes the cookie, so browsers drop it in the frame of the player. Correct the proxy.`,
    )
  }
  const cookie = signedIn.headers
    .getSetCookie()
    .map((given) => given.split(';')[0])
    .join('; ')
  const again = await request(screenAddress(config, entryPoint, player), signal, { headers: { Cookie: cookie } })
  yield again instanceof Response && again.status === 303
    ? ok('viewer-returns', `A returning viewer gets a new ${answer?.name ?? 'response'} without signing in again.`)
    : failure(
        'return-refused',
        'A returning viewer has to sign in again. Several copies of the app need the same SESSION_STORE_URL and SESSION_SECRET. A proxy must pass the header Cookie.',
      )
  await post('/sign-out', {}, cookie)
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
