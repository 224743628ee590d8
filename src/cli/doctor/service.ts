import type { Config } from '../../config.ts'
import { type Channel, listChannels } from '../../video-service/channels.ts'
import { type LockPlace, readLock } from '../../video-service/locks.ts'
import { differences, type ExpectedLock, expectedLock, leadsTo, whatIsUnseen } from '../service/expected-lock.ts'
import { isRefusal, type Service } from '../service/service.ts'
import type { CommandIo } from '../terminal/io.ts'
import { type Finding, failure, ok, reach, SHORT_LIFETIME_SECONDS, warning } from './finding.ts'

const MOST_CHANNELS = 20
const CLOCK_TOLERANCE_SECONDS = 5

/**
 * The video service: client and secret right, clocks together, the lock pointing to the login app of the settings.
 * @param place whose lock is looked at; without it those of all channels.
 * @returns the entry point of the settings that the lock of the place sends viewers to, if it is one.
 */
export async function examineService(
  env: CommandIo['env'],
  config: Config,
  service: Service,
  place: LockPlace | null,
  tell: (finding: Finding) => void,
): Promise<string | undefined> {
  const { api, signal, settings } = service
  const channels = await listChannels(api, signal)
  tell(ok('The video service knows the client, and its secret is right.'))
  tell(await compareClocks(config, settings.baseUrl, signal))
  const expected = config.entryPoints.map(({ name }) => expectedLock(env, name))
  if (place === null) {
    tell(await examineChannels(channels, expected, service))
    return undefined
  }
  const name = `${place.kind} ${place.id}`
  const lock = await readLock(api, place, 'json', signal)
  if (lock === null) {
    tell(warning(`The ${name} has no lock of its own; that of its channel holds: look at it with --channel.`))
    return undefined
  }
  const target = expected.find((entryPoint) => leadsTo(lock.url, entryPoint))
  const wrong = differences(lock, target ?? expectedLock(env, config.entryPoints[0]?.name))
  tell(
    target !== undefined && wrong.length === 0
      ? ok(`The lock of ${name} points to the entry point ${target.entryPoint}.${whatIsUnseen(lock, target)}`)
      : failure(`The lock of ${name}: ${wrong.join('; ')}. See lock set.`),
  )
  return target?.entryPoint
}

/** Which channels send their viewers here. */
async function examineChannels(
  channels: readonly Channel[],
  expected: readonly ExpectedLock[],
  { api, signal }: Service,
): Promise<Finding> {
  const here: string[] = []
  for (const { id } of channels.slice(0, MOST_CHANNELS)) {
    const lock = await readLock(api, { kind: 'channel', id }, 'json', signal).catch((error: unknown) => {
      if (isRefusal(error, 'not_found')) return null
      throw error
    })
    if (lock !== null && expected.some((entryPoint) => leadsTo(lock.url, entryPoint))) here.push(id)
  }
  const scope = channels.length > MOST_CHANNELS ? `the first ${MOST_CHANNELS} channels` : 'the channels'
  return here.length > 0
    ? ok(`Of ${scope}, these send their viewers here: ${here.join(', ')}.`)
    : warning(`None of ${scope} sends its viewers here: see lock set.`)
}

/** The app's clock sets the end of a response, the service's ends it. */
async function compareClocks(
  { publicUrl, entryPoints }: Config,
  baseUrl: string,
  signal: AbortSignal,
): Promise<Finding> {
  const [app, service] = await Promise.all([reach(`${publicUrl.origin}/health/live`, signal), reach(baseUrl, signal)])
  const times = [app, service].map((answer) =>
    answer instanceof Response ? Date.parse(answer.headers.get('date') ?? '') : Number.NaN,
  )
  const [appMs = Number.NaN, serviceMs = Number.NaN] = times
  const ahead = Math.round((serviceMs - appMs) / 1000)
  if (Number.isNaN(ahead))
    return warning('The clocks could not be compared: the login app or the service sends no Date.')
  const shortest = Math.min(...entryPoints.map(({ lifetimeSeconds }) => lifetimeSeconds || Number.POSITIVE_INFINITY))
  if (ahead > CLOCK_TOLERANCE_SECONDS && ahead > shortest - SHORT_LIFETIME_SECONDS) {
    return failure(
      `The service's clock is ${ahead} s ahead of the login app's, and a response lives ${shortest} s: it has expired when it arrives, or soon after.`,
    )
  }
  if (Math.abs(ahead) <= CLOCK_TOLERANCE_SECONDS) return ok("The login app's clock and the service's agree.")
  return warning(
    `The clocks of the login app and the service differ by ${Math.abs(ahead)} s: responses end that much early or late.`,
  )
}
