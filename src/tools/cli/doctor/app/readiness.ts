import { existsSync } from 'node:fs'
import { z } from 'zod'
import type { Config } from '../../../../config.ts'
import { ConfigError } from '../../../../errors.ts'
import { checkUserStoreOf } from '../../settings/check-store.ts'
import { addressOf } from '../../settings/chosen-entry-point.ts'
import { viewersFile } from '../../settings/editable-store.ts'
import type { CommandIo } from '../../terminal/io.ts'
import type { DoctorConfig } from '../feature-check.ts'
import { type Finding, failure, ok, unknown, warning } from '../finding.ts'
import { guarded, isGuarded, request } from '../request.ts'

/**
 * The body of `/health/ready`. `away` names the settings of the stores that do not answer, `clocks` those from whose clock
 * the clock of the app differs.
 */
const Body = z.object({
  status: z.string(),
  away: z.array(z.string()).default([]),
  clocks: z.record(z.string(), z.number()).default({}),
})

type Readiness = z.infer<typeof Body>

/** Checks that the login app answers at PUBLIC_URL, and its stores. @returns false if the app does not answer. */
export async function* checkReadiness(
  io: CommandIo,
  config: DoctorConfig,
  signal: AbortSignal,
): AsyncGenerator<Finding, boolean> {
  const { origin } = config.publicUrl
  const ready = await request(`${origin}/health/ready`, signal)
  if (!(ready instanceof Response)) {
    // A wrong address or certificate is the cause itself.
    if (ready.code === 'nothing-listens') yield* causeInStore(io, config)
    yield { ...ready, text: `The login app cannot be reached at PUBLIC_URL. ${ready.text}` }
    return false
  }
  const answer = await readinessIn(ready)
  if (answer !== null) {
    const finding = storesFinding(config, ready.status, answer)
    if (finding.code === 'store-away' && answer.away.includes('USER_STORE_URL')) yield* causeInStore(io, config)
    yield finding
    return true
  }
  if (await showsSignInScreen(config, signal)) {
    yield unknown(
      'readiness-hidden',
      `A proxy answers ${origin}/health/ready (${ready.status}) instead of the login app, so the stores of the app were not checked. Let the proxy pass this path on.`,
    )
    return true
  }
  const finding = notTheApp(origin, ready)
  if (finding.code === 'proxy-without-app') yield* causeInStore(io, config)
  yield finding
  return false
}

async function* causeInStore(io: CommandIo, config: DoctorConfig): AsyncGenerator<Finding> {
  const cause = await storeCause(io, config)
  if (cause !== null) yield cause
}

function notTheApp(origin: string, { status, headers }: Response): Finding {
  const location = headers.get('location')
  if (isGuarded(status)) return guarded(origin, status)
  if (status === 502 || status === 503 || status === 504) {
    return failure(
      'proxy-without-app',
      `The proxy at ${origin} answers ${status}: it does not reach the login app. Start the app, or correct the address of the app in the proxy.`,
    )
  }
  if (status >= 300 && status < 400 && location !== null && URL.canParse(location, origin)) {
    const { origin: target, pathname } = new URL(location, origin)
    return failure(
      'redirected',
      `A proxy at ${origin} redirects to ${target}${pathname} instead of passing requests to the app. A redirect loses the form of a sign-in. Set PUBLIC_URL to the final address, or exempt the app.`,
    )
  }
  return failure(
    'another-program',
    `Another program answers at ${origin}: /health/ready answers ${status}, but not as the login app does. Start the app, or correct PUBLIC_URL or the proxy.`,
  )
}

function storesFinding(
  { publicUrl: { origin }, featureChecks }: DoctorConfig,
  httpStatus: number,
  { status, away }: Readiness,
): Finding {
  // Checks of features report theirs.
  const reported = featureChecks.flatMap((feature) => feature.away ?? [])
  const stores = away.filter((setting) => !reported.includes(setting))
  const named = stores.length === 0 ? '' : `: ${stores.join(', ')}`
  if (status === 'stopping') return failure('stopping', `The login app at ${origin} is stopping. Start it again.`)
  if (httpStatus !== 200) {
    return failure(
      'store-away',
      `The login app answers at ${origin}, but a store that it needs does not${named}. See the log of the app.`,
    )
  }
  return status === 'ready' || (away.length > 0 && stores.length === 0)
    ? ok('app-answers', `The login app answers at ${origin}. Its user store and session store answer too.`)
    : warning(
        'store-degraded',
        `The login app at ${origin} works without one of its stores${named}. Viewers get through, but sign in more often, or each copy of the app counts failed sign-ins for itself. See the log of the app.`,
      )
}

/** True if the address of an entry point shows the sign-in screen of the app. */
async function showsSignInScreen(config: DoctorConfig, signal: AbortSignal): Promise<boolean> {
  const [entryPoint] = config.entryPoints
  if (entryPoint === undefined) return false
  const screen = await request(addressOf(config, entryPoint), signal)
  return screen instanceof Response && (await screen.text()).includes(`action="${entryPoint.basePath}/cancel"`)
}

/** True if the app works now without what this setting names, because it does not answer. */
export async function isAway(setting: string, { publicUrl }: Config, signal: AbortSignal): Promise<boolean> {
  const ready = await request(`${publicUrl.origin}/health/ready`, signal)
  if (!(ready instanceof Response) || ready.status !== 200) return false
  return (await readinessIn(ready))?.away.includes(setting) ?? false
}

/** Returns the body of `/health/ready`. Null if another program sent it. */
export async function readinessIn(ready: Response): Promise<Readiness | null> {
  return Body.safeParse(await ready.json().catch(() => null)).data ?? null
}

/**
 * Runs the checks of `store check` with these settings, for an app that does not start or whose store is away.
 * @returns the first promise that the store breaks; null if it keeps all.
 */
export async function storeCause(
  { env }: Pick<CommandIo, 'env'>,
  { userStore }: Pick<Config, 'userStore'>,
): Promise<Finding | null> {
  const file = viewersFile(env)
  // The app creates the file when it starts.
  if (file !== null && !existsSync(file)) return null
  const viewers = { username: null, password: null, disabled: null }
  try {
    for await (const { state, code, text } of checkUserStoreOf(userStore, viewers)) {
      if (state === 'failure') return failure(`store-${code}`, `USER_STORE_URL: ${text} See store check.`)
    }
    return null
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return failure('store-opens', `USER_STORE_URL: ${error.message}`)
  }
}
