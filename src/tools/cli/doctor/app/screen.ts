import { type EntryPoint, type HashEntryPoint, isHashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { addressOf } from '../../settings/chosen-entry-point.ts'
import type { SeenPlayer } from '../answer-check.ts'
import { answerAt, type DoctorConfig } from '../feature-check.ts'
import { type Finding, failure, ok, PROXY_OR_SETTINGS, unknown, warning } from '../finding.ts'
import { readPageHtml } from '../page/page-html.ts'
import { hasDirective, notAllowed } from '../page/policy.ts'
import { guarded, isGuarded, requestFrame, slowAnswer } from '../request.ts'
import { checkScreenParts } from './screen-parts.ts'

/** Requests besides the first one: a balancer gives them to other copies of the app. */
const OTHER_REQUESTS = 4

/** A response with a shorter lifetime may expire before the service checks it. */
export const SHORT_LIFETIME_SECONDS = 30
/** The parameter of the response that the service reports as `viewer_identifier`. */
const VIEWER_PARAMETER = 'user'
/** Appended by the player. The screen repeats it in its forms, which shows that the query reaches the app. */
const CONTENT = { ustreamContentType: 'live', ustreamContentId: '1234567' }

/** Each form has a text that no other screen has. */
const OWN_TEXT = /<input type="hidden" name="\w+" value="[\w-]{16,}">/

/** Checks the sign-in screen of an entry point, and its headers. */
export async function* checkScreen(
  config: DoctorConfig,
  entryPoint: EntryPoint,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const address = addressOf(config, entryPoint)
  const startMs = performance.now()
  const form = entryPoint.hasPasswordForm ? { prompt: 'password' } : {}
  const url = `${address}?${new URLSearchParams({ ...fieldsOf(config, entryPoint), ...CONTENT, ...form })}`
  const screen = await requestFrame(url, signal)
  const tookMs = performance.now() - startMs
  if (!(screen instanceof Response)) return yield screen
  if (isGuarded(screen.status)) return yield guarded(address, screen.status)
  const isScreen = screen.status === 200
  const text = await screen.text()
  if (!(isScreen && text.includes('/cancel"'))) {
    return yield failure(
      'no-sign-in-screen',
      `${address} answers ${screen.status} without a sign-in screen. A proxy answers instead of the app, or the app runs with other settings. Correct the proxy, or restart the app.`,
    )
  }
  if (!text.includes(`value="${CONTENT.ustreamContentId}"`)) {
    yield failure(
      'query-removed',
      `${address}: the query of the address does not reach the app, so chat and Q&A never get a response. A proxy removes it. Correct the proxy.`,
    )
  }
  // Before the checks that ask again: the time may end in them.
  yield* slowAnswer(address, tookMs)
  let isRight = true
  for (const finding of checkHeaders(config, address, withMetaPolicies(screen.headers, text, url), entryPoint)) {
    isRight &&= finding.state !== 'failure'
    yield finding
  }
  const difference = isRight ? await checkCopies(address, url, text, entryPoint, signal) : null
  if (difference !== null) yield difference
  yield* checkReferrerPolicy(address, screen.headers)
  yield* checkScreenParts(address, screen, text, entryPoint, signal)
}

/** Checks settings that are valid but usually a mistake. */
export function* checkSettings({
  lifetimeSeconds,
  playerAddress,
  playerOrigins,
  parameters,
}: HashEntryPoint): Generator<Finding> {
  if (!playerOrigins.includes(playerAddress.origin)) {
    yield unknown(
      'player-origin-missing',
      `PLAYER_ORIGINS lacks ${playerAddress.origin}, the origin of PLAYER_RETURN_URL. If the player has that origin, browsers do not show the sign-in screen in it. Add the origin of the player.`,
    )
  }
  if (lifetimeSeconds > 0 && lifetimeSeconds < SHORT_LIFETIME_SECONDS) {
    yield warning(
      'short-lifetime',
      `A response expires after ${lifetimeSeconds} s. That is too short for a slow connection, or if the clock of the service is a little ahead. Raise HASH_LIFETIME_SECONDS.`,
    )
  }
  if (!parameters.some(({ name }) => name === VIEWER_PARAMETER)) {
    yield warning(
      'no-viewer-parameter',
      `HASH_PARAMETERS has no parameter "${VIEWER_PARAMETER}", so reports show guests instead of viewers. Add ${VIEWER_PARAMETER}=username.`,
    )
  }
}

function* checkHeaders(
  config: DoctorConfig,
  address: string,
  headers: Headers,
  entryPoint: EntryPoint,
): Generator<Finding> {
  if (headers.has('x-frame-options')) {
    yield failure(
      'x-frame-options',
      `${address} sends X-Frame-Options. Old browsers and apps then show an empty frame; others use frame-ancestors instead. Remove this header from the proxy.`,
    )
  }
  if (hasDirective(headers, 'frame-ancestors')) yield* checkPolicy(config, address, headers, entryPoint)
  else {
    yield failure(
      'policy-removed',
      `${address} has no frame-ancestors, so every page may frame the sign-in screen. A proxy removes the Content-Security-Policy. Correct the proxy.`,
    )
  }
  if (headers.has('clear-site-data')) {
    yield warning(
      'clear-site-data',
      `${address} sends Clear-Site-Data, which the app does not, so browsers drop the session and viewers sign in each time. Remove this header from the proxy.`,
    )
  }
  if (!/no-store/.test(headers.get('cache-control') ?? '')) {
    yield failure(
      'cache-control',
      `${address} lacks Cache-Control: no-store. A cache could show one viewer the screen of another. Correct the proxy.`,
    )
  }
}

/** Adds the policies of the HTML: browsers apply them too, but for frame-ancestors. */
function withMetaPolicies(headers: Headers, html: string, url: string): Headers {
  const { policies } = readPageHtml(html, new URL(url))
  const all = new Headers(headers)
  for (const policy of policies) all.append('content-security-policy', policy.replace(/frame-ancestors[^;]*/gi, ''))
  return all
}

/** Browsers without Sec-Fetch-Site, as with http or Safari before 16.4, then post without an origin. */
function* checkReferrerPolicy(address: string, headers: Headers): Generator<Finding> {
  const policy = headers.get('referrer-policy')?.split(',').at(-1)?.trim()
  if (policy !== 'no-referrer') return
  yield warning(
    'referrer-policy',
    `${address} sends Referrer-Policy: no-referrer, so old browsers sign nobody in: their form has no Origin. A proxy changes this header. Correct the proxy: same-origin.`,
  )
}

function* checkPolicy(
  config: DoctorConfig,
  address: string,
  headers: Headers,
  entryPoint: EntryPoint,
): Generator<Finding> {
  const unframed = notAllowed(headers, 'frame-ancestors', entryPoint.playerOrigins)
  yield unframed.length > 0
    ? failure(
        'frame-ancestors',
        `${unframed.join(', ')} may not frame ${address}: frame-ancestors lacks them. ${PROXY_OR_SETTINGS}`,
      )
    : ok(
        'framing-allowed',
        `These origins may frame ${address}: ${entryPoint.playerOrigins.join(', ')}. The list must include every page that embeds the player.`,
      )
  const formTargets = notAllowed(headers, 'form-action', ["'self'", playerOriginOf(config, entryPoint)])
  if (formTargets.length > 0) {
    yield failure(
      'form-action',
      `${address}: form-action lacks ${formTargets.join(', ')}, so browsers block the redirect to the player. ${PROXY_OR_SETTINGS}`,
    )
  }
}

function playerOriginOf(config: DoctorConfig, entryPoint: EntryPoint): string {
  if (isHashEntryPoint(entryPoint)) return entryPoint.playerAddress.origin
  return answerAt(config, entryPoint)?.playerOrigin ?? ''
}

/** The title names the brand. */
function titleOf(html: string): string {
  return /<title>([^<]*)/.exec(html)?.[1] ?? ''
}

/** Requests the screen over new connections, because copies of the app may differ. @returns null if they agree. */
async function checkCopies(
  address: string,
  url: string,
  html: string,
  { playerOrigins }: Pick<EntryPoint, 'playerOrigins'>,
  signal: AbortSignal,
): Promise<Finding | null> {
  const ask = () => requestFrame(url, signal, { Connection: 'close' })
  const screens = await Promise.all(Array.from({ length: OTHER_REQUESTS }, ask))
  const texts = await Promise.all(screens.map((screen) => (screen instanceof Response ? screen.clone().text() : '')))
  if (OWN_TEXT.test(html) && texts.includes(html)) {
    return failure(
      'screen-cached',
      `${address} comes from a cache, which shows one viewer the screen of another. The app sends Cache-Control: no-store. Let the proxy and its CDN keep it.`,
    )
  }
  const found = await Promise.all(screens.map((screen) => faultOfCopy(screen, titleOf(html), address, playerOrigins)))
  const faults = found.filter((fault) => fault !== null)
  const [fault] = faults
  if (fault === undefined) return null
  const level = faults.every(({ isHarmless }) => isHarmless) ? warning : failure
  return level(
    'copies-differ',
    `${faults.length} of ${OTHER_REQUESTS} further requests for ${address} got another answer than the first one. One copy of the app has other settings or is broken: give all copies the same settings, and restart them. The other answer: ${fault.text}`,
  )
}

/** What is wrong with the screen of another copy. Null if it is like the first one. */
async function faultOfCopy(
  screen: Response | Finding,
  title: string,
  address: string,
  playerOrigins: readonly string[],
): Promise<{ readonly text: string; readonly isHarmless: boolean } | null> {
  const fault = (text: string) => ({ text, isHarmless: false })
  if (!(screen instanceof Response)) return fault(screen.text)
  if (screen.status !== 200) return fault(`${address} answers ${screen.status}.`)
  const lacking = notAllowed(screen.headers, 'frame-ancestors', playerOrigins)
  if (lacking.length > 0) return fault(`frame-ancestors lacks ${lacking.join(', ')}.`)
  const other = titleOf(await screen.text())
  // Another brand keeps no viewer away.
  return other === title ? null : { text: `The title is "${other}" in place of "${title}".`, isHarmless: true }
}

/**
 * Returns the fields without which an entry point shows no screen.
 * @param player the player that was seen to ask this entry point. Null takes an address from the settings.
 */
export function fieldsOf(
  config: DoctorConfig,
  entryPoint: EntryPoint,
  player: SeenPlayer | null = null,
): Readonly<Record<string, string>> {
  return answerAt(config, entryPoint)?.fields(player) ?? {}
}

/** Returns the address of an entry point with fieldsOf(), as the player opens it. */
export function screenAddress(config: DoctorConfig, entryPoint: EntryPoint, player: SeenPlayer | null = null): string {
  const address = addressOf(config, entryPoint)
  const query = new URLSearchParams(fieldsOf(config, entryPoint, player)).toString()
  return query === '' ? address : `${address}?${query}`
}
