import { z } from 'zod'
import type { Config } from '../../config.ts'
import { describeDiagnosis } from '../../hash-lock/diagnosis.ts'
import { nowSeconds } from '../service/service.ts'
import { addressOf, type ChosenEntryPoint } from '../settings/chosen-entry-point.ts'
import { diagnoseForEntryPoint } from '../settings/diagnose-entry-point.ts'
import { checkAddresses } from './addresses.ts'
import { type Finding, failure, notAllowed, ok, request, SHORT_LIFETIME_SECONDS, warning } from './finding.ts'

export interface TestViewer {
  readonly username: string
  readonly password: string
}

const Readiness = z.object({ status: z.string() })
/** Proxies add cookies of their own. */
const SESSION_COOKIE = /^(__Host-)?viewer=/

/** Checks the login app over its PUBLIC_URL: its health, its stores, and the headers that browsers get. */
export async function* checkApp(config: Config, signal: AbortSignal): AsyncGenerator<Finding> {
  const { origin, protocol } = config.publicUrl
  const ready = await request(`${origin}/health/ready`, signal)
  if (!(ready instanceof Response)) {
    yield ready
    return
  }
  yield await checkReadiness(origin, ready)
  if (protocol === 'https:' && config.trustProxyHops === 0) {
    yield warning(
      'TRUST_PROXY_HOPS is 0, but https needs a proxy. The app then sees only the address of the proxy, and all viewers share one limit of failed sign-ins. Set it to the number of proxies.',
    )
  }
  for (const entryPoint of config.entryPoints) {
    const address = addressOf(config, entryPoint)
    yield* checkSettings(entryPoint)
    const screen = await request(address, signal)
    if (!(screen instanceof Response)) yield screen
    else if (screen.status !== 200) yield failure(`${address} answers ${screen.status} instead of a sign-in screen.`)
    else yield* checkHeaders(address, screen.headers, entryPoint)
  }
  yield* checkAddresses(config, signal)
}

/** Warns of settings that are valid but usually a mistake. */
function* checkSettings({ name, lifetimeSeconds, playerAddress, playerOrigins }: ChosenEntryPoint): Generator<Finding> {
  if (!playerOrigins.includes(playerAddress.origin)) {
    yield warning(
      `Entry point ${name}: PLAYER_ORIGINS lacks ${playerAddress.origin}, the origin of PLAYER_RETURN_URL. If the player has that origin, browsers do not show the sign-in screen in it.`,
    )
  }
  if (lifetimeSeconds > 0 && lifetimeSeconds < SHORT_LIFETIME_SECONDS) {
    yield warning(
      `Entry point ${name}: a response expires after ${lifetimeSeconds} s. That is too short for a slow connection, or if the clock of the service is a little ahead.`,
    )
  }
}

async function checkReadiness(origin: string, ready: Response): Promise<Finding> {
  const answer = Readiness.safeParse(await ready.json().catch(() => null))
  if (!answer.success) {
    return failure(
      `${origin}/health/ready answers ${ready.status}, but the answer is not from the login app. PUBLIC_URL or a proxy leads to another program, or the app is not running.`,
    )
  }
  if (ready.status !== 200) {
    return failure(
      `${origin}/health/ready answers ${ready.status}. A store does not answer. See the log of the login app.`,
    )
  }
  return answer.data.status === 'ready'
    ? ok(`The login app answers at ${origin}. Its user store and session store answer too.`)
    : warning(
        `${origin}/health/ready says "${answer.data.status}". Redis does not answer, or another process locks the file of sessions. See the log of the login app.`,
      )
}

function* checkHeaders(address: string, headers: Headers, entryPoint: ChosenEntryPoint): Generator<Finding> {
  const unframed = notAllowed(headers, 'frame-ancestors', entryPoint.playerOrigins)
  if (headers.has('x-frame-options')) {
    yield failure(`${address} sends X-Frame-Options, so no player can frame it. Remove this header from the proxy.`)
  } else if (unframed.length > 0) {
    yield failure(
      `${unframed.join(', ')} may not frame ${address}. A proxy changes frame-ancestors, or the app runs with other settings.`,
    )
  } else {
    yield ok(
      `These origins may frame ${address}: ${entryPoint.playerOrigins.join(', ')}. The list must include every page that embeds the player.`,
    )
  }
  const formTargets = notAllowed(headers, 'form-action', ["'self'", entryPoint.playerAddress.origin])
  if (formTargets.length > 0) {
    yield failure(
      `${address}: form-action lacks ${formTargets.join(', ')}, so browsers block the redirect to the player.`,
    )
  }
  if (!/no-store/.test(headers.get('cache-control') ?? '')) {
    yield failure(`${address} lacks Cache-Control: no-store. A cache could show one viewer the screen of another.`)
  }
}

/**
 * Signs the test viewer in over PUBLIC_URL, checks the redirect and the cookie, returns with the session, and signs
 * out.
 */
export async function* trySignIn(
  config: Config,
  entryPoint: ChosenEntryPoint,
  { username, password }: TestViewer,
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
  const signedIn = await post('/sign-in', { username, password })
  if (!(signedIn instanceof Response)) return yield signedIn
  if (signedIn.status !== 303)
    return yield failure(`The test viewer could not sign in at ${address}: ${reasonFor(signedIn.status)}`)
  yield checkRedirect(address, signedIn.headers.get('location') ?? '', entryPoint)
  const setCookie = signedIn.headers.getSetCookie().find((cookie) => SESSION_COOKIE.test(cookie)) ?? ''
  const lacking = ['Secure', 'HttpOnly', 'SameSite=None', 'Partitioned'].filter(
    (attribute) => !setCookie.toLowerCase().includes(`; ${attribute.toLowerCase()}`),
  )
  if (lacking.length > 0) {
    return yield failure(
      setCookie === ''
        ? 'The sign-in set no session cookie. The session store failed: see the log of the login app.'
        : `The session cookie lacks ${lacking.join(', ')}. A proxy changes the cookie, and browsers drop it in the frame of the player.`,
    )
  }
  const cookie = signedIn.headers
    .getSetCookie()
    .map((given) => given.split(';')[0])
    .join('; ')
  const again = await request(address, signal, { headers: { Cookie: cookie } })
  yield again instanceof Response && again.status === 303
    ? ok('A returning viewer gets a new response without signing in again.')
    : failure(
        'A returning viewer has to sign in again. Several copies of the app need the same SESSION_STORE_URL and SESSION_SECRET.',
      )
  await post('/sign-out', {}, cookie)
}

function checkRedirect(address: string, location: string, entryPoint: ChosenEntryPoint): Finding {
  const { playerAddress } = entryPoint
  if (!URL.canParse(location) || withoutHash(location) !== withoutHash(playerAddress.url)) {
    return failure(
      `The sign-in does not redirect to ${playerAddress.url}. The app runs with another PLAYER_RETURN_URL.`,
    )
  }
  const response = new URL(location).searchParams.get('hash') ?? ''
  const { diagnosis, secret } = diagnoseForEntryPoint(response, entryPoint, Math.floor(nowSeconds()))
  const text = `The test viewer signed in at ${address} and was sent to the player. The response: ${describeDiagnosis(diagnosis)}`
  if (diagnosis.kind !== 'good') return failure(text)
  return secret === 'current'
    ? ok(text)
    : warning(`${text} It was built with the previous secret, so the app does not use the current one yet.`)
}

/** Removes the parameter `hash`, and keeps a fragment. */
function withoutHash(address: string): string {
  const url = new URL(address)
  url.searchParams.delete('hash')
  return url.href
}

function reasonFor(status: number): string {
  const reasons: Readonly<Record<number, string>> = {
    401: 'incorrect user name or password.',
    403: 'the viewer is disabled or in none of ALLOWED_GROUPS, or a proxy changes the header Origin.',
    429: 'too many failed sign-ins. Wait, or check TRUST_PROXY_HOPS.',
    503: 'the app is overloaded, or the user store does not answer. See the log of the app.',
  }
  return reasons[status] ?? `the app answered ${status} instead of a redirect to the player.`
}
