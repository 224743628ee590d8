import type { Config } from '../../../../config.ts'
import { isHashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { type Channel, listChannels } from '../../../video-service/channels.ts'
import { type LockTarget, readLock } from '../../../video-service/locks.ts'
import { ServiceRefusal, UnexpectedAnswer } from '../../../video-service/service-errors.ts'
import { type ExpectedLock, expectedLock, leadsTo } from '../../service/expected-lock.ts'
import { nameOf } from '../../service/lock-target.ts'
import { isRefusal, type Service } from '../../service/service.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { type Finding, failure, type Report, unknown } from '../finding.ts'
import { lockSecretCheck } from './lock-secret.ts'

const MAX_CHANNELS = 20

/** Checks the lock of one channel or video. @returns the name of its entry point, if the settings have it. */
export async function checkLock(
  io: CommandIo,
  config: Config,
  service: Service,
  target: LockTarget,
  report: Report,
): Promise<string | undefined> {
  const { api, signal } = service
  const name = nameOf(target)
  const lock = await readLock(api, target, signal)
  if (lock === null) {
    report(
      unknown(
        'no-own-lock',
        `The ${name} has no lock of its own, so the lock of its channel applies. Check that lock with --channel ID.`,
      ),
    )
    return undefined
  }
  const expected = expectedLocks(io, config)
  const match = expected.find((entryPoint) => leadsTo(lock.url, entryPoint))
  if (match === undefined) {
    const urls = expected.map(({ url }) => url).join(' or ')
    report(
      failure(
        'lock-leads-elsewhere',
        `The lock of ${name} leads to ${lock.url} and not to this app, which is at ${urls}. Run lock set --${target.kind} ${target.id}. If the address of the lock is right, correct PUBLIC_URL.`,
      ),
    )
    return undefined
  }
  report(lockSecretCheck(io, config, service)(lock, target, match))
  return match.entryPoint
}

/** Checks the locks of all channels that lead to the login app. */
export async function checkChannels(io: CommandIo, config: Config, service: Service, report: Report): Promise<void> {
  const { api, signal } = service
  const channels = await listChannels(api, signal).catch((error: unknown) => {
    if (error instanceof ServiceRefusal || error instanceof UnexpectedAnswer) return null
    throw error
  })
  if (channels === null) {
    report(
      unknown('channels-unlisted', 'The service does not list its channels, so no lock was checked. Use --channel ID.'),
    )
    return
  }
  const expected = expectedLocks(io, config)
  const checkSecret = lockSecretCheck(io, config, service)
  let found = 0
  for (const { id } of channels.slice(0, MAX_CHANNELS)) {
    const target: LockTarget = { kind: 'channel', id }
    const lock = await readLock(api, target, signal).catch((error: unknown) => {
      if (isRefusal(error, 'not_found')) return null
      throw error
    })
    const match = lock && expected.find((entryPoint) => leadsTo(lock.url, entryPoint))
    if (!match) continue
    found += 1
    report(checkSecret(lock, target, match))
  }
  if (found === 0) report(noLock(channels))
}

/** Returns the locks that lead to this app, one for each entry point with a hash. */
function expectedLocks({ env }: CommandIo, { entryPoints }: Config): ExpectedLock[] {
  return entryPoints.filter(isHashEntryPoint).map(({ name }) => expectedLock(env, name))
}

function noLock({ length }: readonly Channel[]): Finding {
  const scope = length > MAX_CHANNELS ? `the first ${MAX_CHANNELS} channels` : 'the channels'
  return unknown(
    'no-lock',
    `None of ${scope} has a lock that leads to this app. If a video has one, check it with --video ID. Else run lock set.`,
  )
}
