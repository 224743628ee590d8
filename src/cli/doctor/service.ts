import type { Config } from '../../config.ts'
import { type Channel, listChannels } from '../../video-service/channels.ts'
import { type LockPlace, readLock } from '../../video-service/locks.ts'
import { differences, type ExpectedLock, expectedLock, hiddenSecretWarning, leadsTo } from '../service/expected-lock.ts'
import { isRefusal, type Service } from '../service/service.ts'
import type { CommandIo } from '../terminal/io.ts'
import { type Finding, failure, ok, request, SHORT_LIFETIME_SECONDS, warning } from './finding.ts'

const MAX_CHANNELS = 20
const CLOCK_TOLERANCE_SECONDS = 5

/**
 * Checks the client and its secret at the video service, the clocks, and the addresses of the locks.
 * @param place the channel or video to check; null for all channels.
 * @returns the name of the entry point that the lock of the place points to, if the settings have it.
 */
export async function checkService(
  env: CommandIo['env'],
  config: Config,
  service: Service,
  place: LockPlace | null,
  report: (finding: Finding) => void,
): Promise<string | undefined> {
  const { api, signal, settings } = service
  const channels = await listChannels(api, signal)
  report(ok('The video service accepts the client id and secret.'))
  report(await compareClocks(config, settings.baseUrl, signal))
  const expected = config.entryPoints.map(({ name }) => expectedLock(env, name))
  if (place === null) {
    report(await checkChannels(channels, expected, service))
    return undefined
  }
  const name = `${place.kind} ${place.id}`
  const lock = await readLock(api, place, 'json', signal)
  if (lock === null) {
    report(
      warning(
        `The ${name} has no lock of its own, so the lock of its channel applies. Check that lock with --channel.`,
      ),
    )
    return undefined
  }
  const target = expected.find((entryPoint) => leadsTo(lock.url, entryPoint))
  const wrong = differences(lock, target ?? expectedLock(env, config.entryPoints[0]?.name))
  report(
    target !== undefined && wrong.length === 0
      ? ok(`The lock of ${name} points to the entry point ${target.entryPoint}.${hiddenSecretWarning(lock, target)}`)
      : failure(`The lock of ${name} is wrong: ${wrong.join('; ')}. Use lock set.`),
  )
  return target?.entryPoint
}

/** Finds the channels whose locks point to the login app. */
async function checkChannels(
  channels: readonly Channel[],
  expected: readonly ExpectedLock[],
  { api, signal }: Service,
): Promise<Finding> {
  const locked: string[] = []
  for (const { id } of channels.slice(0, MAX_CHANNELS)) {
    const lock = await readLock(api, { kind: 'channel', id }, 'json', signal).catch((error: unknown) => {
      if (isRefusal(error, 'not_found')) return null
      throw error
    })
    if (lock !== null && expected.some((entryPoint) => leadsTo(lock.url, entryPoint))) locked.push(id)
  }
  const scope = channels.length > MAX_CHANNELS ? `the first ${MAX_CHANNELS} channels` : 'the channels'
  return locked.length > 0
    ? ok(`These of ${scope} have a lock that points to this app: ${locked.join(', ')}.`)
    : warning(`None of ${scope} has a lock that points to this app. Use lock set.`)
}

/**
 * Compares the clocks: the app sets the expiry of a response by its own clock, and the service checks it by another.
 */
async function compareClocks(
  { publicUrl, entryPoints }: Config,
  baseUrl: string,
  signal: AbortSignal,
): Promise<Finding> {
  const [app, service] = await Promise.all([
    request(`${publicUrl.origin}/health/live`, signal),
    request(baseUrl, signal),
  ])
  const times = [app, service].map((answer) =>
    answer instanceof Response ? Date.parse(answer.headers.get('date') ?? '') : Number.NaN,
  )
  const [appMs = Number.NaN, serviceMs = Number.NaN] = times
  const aheadSeconds = Math.round((serviceMs - appMs) / 1000)
  if (Number.isNaN(aheadSeconds))
    return warning('The clocks could not be compared, because the login app or the service sends no Date.')
  const shortestSeconds = Math.min(
    ...entryPoints.map(({ lifetimeSeconds }) => lifetimeSeconds || Number.POSITIVE_INFINITY),
  )
  if (aheadSeconds > CLOCK_TOLERANCE_SECONDS && aheadSeconds > shortestSeconds - SHORT_LIFETIME_SECONDS) {
    return failure(
      `The clock of the service is ${aheadSeconds} s ahead of the login app, and a response lives ${shortestSeconds} s. It expires before the service checks it, or soon after.`,
    )
  }
  if (Math.abs(aheadSeconds) <= CLOCK_TOLERANCE_SECONDS) return ok('The clocks of the login app and the service agree.')
  return warning(
    `The clocks of the login app and the service differ by ${Math.abs(aheadSeconds)} s. Responses expire that much too early or too late.`,
  )
}
