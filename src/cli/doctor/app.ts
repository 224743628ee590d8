import { z } from 'zod'
import type { Config } from '../../config.ts'
import { describeDiagnosis, diagnoseResponse } from '../../hash-lock/diagnosis.ts'
import { nowSeconds } from '../service/service.ts'
import { addressOf, type ChosenEntryPoint } from '../settings/chosen-entry-point.ts'
import { examineAddresses } from './addresses.ts'
import { type Finding, failure, notAllowed, ok, reach, SHORT_LIFETIME_SECONDS, warning } from './finding.ts'

export interface TestViewer {
  readonly username: string
  readonly password: string
}

const Readiness = z.object({ status: z.string() })
/** Proxies add cookies of their own. */
const SESSION_COOKIE = /^(__Host-)?viewer=/

/** The login app over its PUBLIC_URL: alive, stores answering, and its headers as they arrive behind every proxy. */
export async function* examineApp(config: Config, signal: AbortSignal): AsyncGenerator<Finding> {
  const { origin, protocol } = config.publicUrl
  const ready = await reach(`${origin}/health/ready`, signal)
  if (!(ready instanceof Response)) {
    yield ready
    return
  }
  yield await examineReadiness(origin, ready)
  if (protocol === 'https:' && config.trustProxyHops === 0) {
    yield warning(
      'TRUST_PROXY_HOPS is 0, but behind a proxy with TLS every viewer then has the address of the proxy, and failed sign-ins hold everybody back: set it to the number of proxies.',
    )
  }
  for (const entryPoint of config.entryPoints) {
    const address = addressOf(config, entryPoint)
    yield* examineSettings(entryPoint)
    const screen = await reach(address, signal)
    if (!(screen instanceof Response)) yield screen
    else if (screen.status !== 200)
      yield failure(`${address} answers ${screen.status} and should show a sign-in screen.`)
    else yield* examineHeaders(address, screen.headers, entryPoint)
  }
  yield* examineAddresses(config, signal)
}

/** What no setting forbids, and yet is seldom meant. */
function* examineSettings({
  name,
  lifetimeSeconds,
  playerAddress,
  playerOrigins,
}: ChosenEntryPoint): Generator<Finding> {
  if (!playerOrigins.includes(playerAddress.origin)) {
    yield warning(
      `Entry point ${name}: PLAYER_ORIGINS does not hold ${playerAddress.origin}, where PLAYER_RETURN_URL is: if the player is there too, browsers do not show it the sign-in screen.`,
    )
  }
  if (lifetimeSeconds > 0 && lifetimeSeconds < SHORT_LIFETIME_SECONDS) {
    yield warning(
      `Entry point ${name}: a response expires after ${lifetimeSeconds} s, before it arrives over a slow connection or at a clock that is a little ahead.`,
    )
  }
}

async function examineReadiness(origin: string, ready: Response): Promise<Finding> {
  const answer = Readiness.safeParse(await ready.json().catch(() => null))
  if (!answer.success) {
    return failure(
      `${origin}/health/ready answers ${ready.status}, and not in the words of the login app: PUBLIC_URL or a proxy leads to something else, or the app is not running behind it.`,
    )
  }
  if (ready.status !== 200) {
    return failure(
      `${origin}/health/ready answers ${ready.status}: a store does not answer, see the log of the login app.`,
    )
  }
  return answer.data.status === 'ready'
    ? ok(`The login app answers at ${origin}, and so do its user store and session store.`)
    : warning(
        `${origin}/health/ready says "${answer.data.status}": Redis does not answer, see the log of the login app.`,
      )
}

function* examineHeaders(address: string, headers: Headers, entryPoint: ChosenEntryPoint): Generator<Finding> {
  const unframed = notAllowed(headers, 'frame-ancestors', entryPoint.playerOrigins)
  if (headers.has('x-frame-options')) {
    yield failure(`${address} sends X-Frame-Options, so no player can frame it: take it out of the proxy.`)
  } else if (unframed.length > 0) {
    yield failure(
      `${address} may not be framed by ${unframed.join(', ')}: a proxy changes frame-ancestors, or the app runs with other settings.`,
    )
  } else {
    yield ok(
      `${address} may be framed by ${entryPoint.playerOrigins.join(', ')}. Every page that embeds the player must be among them.`,
    )
  }
  const formTargets = notAllowed(headers, 'form-action', ["'self'", entryPoint.playerAddress.origin])
  if (formTargets.length > 0) {
    yield failure(
      `${address}: form-action lacks ${formTargets.join(', ')}, so browsers stop the way back to the player.`,
    )
  }
  if (!/no-store/.test(headers.get('cache-control') ?? '')) {
    yield failure(`${address} may be stored by a cache: one viewer could get the screen of another.`)
  }
}

/** A whole sign-in over PUBLIC_URL: form, redirect, response, cookie, return without a password, sign-out. */
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
    return reach(`${origin}${entryPoint.basePath}${path}`, signal, {
      method: 'POST',
      headers,
      body: new URLSearchParams(fields),
    })
  }
  const signedIn = await post('/sign-in', { username, password })
  if (!(signedIn instanceof Response)) return yield signedIn
  if (signedIn.status !== 303)
    return yield failure(`The sign-in of the test viewer at ${address}: ${reasonFor(signedIn.status)}`)
  yield examineRedirect(address, signedIn.headers.get('location') ?? '', entryPoint)
  const setCookie = signedIn.headers.getSetCookie().find((cookie) => SESSION_COOKIE.test(cookie)) ?? ''
  const lacking = ['Secure', 'HttpOnly', 'SameSite=None', 'Partitioned'].filter(
    (attribute) => !setCookie.toLowerCase().includes(`; ${attribute.toLowerCase()}`),
  )
  if (lacking.length > 0) {
    return yield failure(
      setCookie === ''
        ? 'The sign-in set no session cookie: the session store failed, see the log of the login app.'
        : `The session cookie lacks ${lacking.join(', ')}: a proxy changes it, and browsers drop it in the player's frame.`,
    )
  }
  const cookie = setCookie.split(';')[0] ?? ''
  const again = await reach(address, signal, { headers: { Cookie: cookie } })
  yield again instanceof Response && again.status === 303
    ? ok('A viewer who returns is passed on without signing in again.')
    : failure(
        'A viewer who returns has to sign in again: several instances need one session store, or SESSION_SECRET differs.',
      )
  await post('/sign-out', {}, cookie)
}

function examineRedirect(address: string, location: string, { playerAddress, secret }: ChosenEntryPoint): Finding {
  if (!URL.canParse(location) || withoutHash(location) !== withoutHash(playerAddress.url)) {
    return failure(
      `The sign-in does not lead to the address of the player, ${playerAddress.url}: the app runs with another PLAYER_RETURN_URL.`,
    )
  }
  const response = new URL(location).searchParams.get('hash') ?? ''
  const diagnosis = diagnoseResponse(response, secret, Math.floor(nowSeconds()))
  const text = `The test viewer signs in at ${address} and is sent to the player. The response: ${describeDiagnosis(diagnosis)}`
  return diagnosis.kind === 'good' ? ok(text) : failure(text)
}

/** The address without its parameter `hash`, which stands before a fragment. */
function withoutHash(address: string): string {
  const url = new URL(address)
  url.searchParams.delete('hash')
  return url.href
}

function reasonFor(status: number): string {
  const reasons: Readonly<Record<number, string>> = {
    401: 'user name or password wrong.',
    403: 'the viewer is disabled or in none of the groups that may watch, or a proxy changes the header Origin.',
    429: 'held back after too many failed tries; wait, or look at TRUST_PROXY_HOPS.',
    503: 'the app is overloaded or the user store does not answer; see its log.',
  }
  return reasons[status] ?? `the app answered ${status} instead of a redirect to the player.`
}
