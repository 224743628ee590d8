import type { Config } from '../../../../config.ts'
import { isHashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { keyFingerprint } from '../../../../features/token/viewer-token/content-key.ts'
import type { ContentLock } from '../../../cli/doctor/answer-check.ts'
import { type Finding, failure, findingOf, ok, type Report, unknown } from '../../../cli/doctor/finding.ts'
import { checkChannels, checkLock } from '../../../cli/doctor/service/check-locks.ts'
import { missingLock } from '../../../cli/doctor/service/finding-of-service-error.ts'
import { openLockRecords, whenSet } from '../../../cli/service/lock-records.ts'
import { nameOf } from '../../../cli/service/lock-target.ts'
import { isRefusal, type Service } from '../../../cli/service/service.ts'
import { addressOf } from '../../../cli/settings/chosen-entry-point.ts'
import type { CommandIo } from '../../../cli/terminal/io.ts'
import type { LockTarget } from '../../../video-service/locks.ts'
import { RECORDS } from '../service/viewer-auth-lock.ts'
import { compareServiceKeys } from './keys.ts'
import { lookAtPlayer, type PlayerLook, tokenEntryPoints } from './seen-player.ts'

/** Checks the keys of the service, and the lock of a channel or video in both versions; see AnswerCheck. */
export async function checkContent(
  service: Service,
  io: CommandIo,
  config: Config,
  target: LockTarget | null,
  report: Report,
): Promise<ContentLock> {
  // Locks have a secret; entry points with tokens have none.
  const hasLocks = config.entryPoints.some(isHashEntryPoint)
  for (const entryPoint of tokenEntryPoints(config)) {
    const differ = await compareServiceKeys(entryPoint, service)
    if (differ) report(findingOf(config, entryPoint, differ))
  }
  if (target === null) {
    if (hasLocks) await checkChannels(io, config, service, report)
    return { unseen: unseen('Name a channel or video with --channel or --video, or a page with --page') }
  }
  // Only the player shows viewer auth.
  const look = await lookAtPlayer(config, target, service.signal)
  if (look?.kind === 'asks') return { entryPoint: look.player.entryPoint.name, player: look.player }
  if (look?.kind === 'asks-elsewhere') {
    report(asksElsewhere(look, target))
    return {}
  }
  const recorded = checkViewerAuthRecord(io, config, service, target, report)
  if (recorded === undefined) return {}
  if (recorded !== null) {
    // `lock set` had success, so a script of the player may ask for the token.
    if (look !== null) report(unknown('player-asks-nothing', playerText(look, target)))
    return { entryPoint: recorded }
  }
  const entryPoint = hasLocks ? await checkLockOrNone(io, config, service, target, report) : undefined
  // A channel or video with a hash lock of this app needs no viewer auth.
  if (entryPoint !== undefined) return { entryPoint }
  if (look !== null) {
    report(failure('player-asks-nothing', playerText(look, target, hasLocks)))
    return {}
  }
  return { unseen: unseen('Run lock set on this machine, name a page with --page') }
}

/** As checkLock(), but a channel without a lock is not a finding: it may have viewer auth. */
async function checkLockOrNone(
  io: CommandIo,
  config: Config,
  service: Service,
  target: LockTarget,
  report: Report,
): Promise<string | undefined> {
  try {
    return await checkLock(io, config, service, target, report)
  } catch (error) {
    if (target.kind !== 'channel' || !isRefusal(error, 'not_found')) throw error
    const missing = await missingLock(target.id, service)
    if (missing.code === 'channel-unknown') report(missing)
    return undefined
  }
}

function unseen(advice: string): Finding {
  return unknown(
    'viewer-auth-unseen',
    `The service does not show viewer auth, and no player was seen that asks this app for tokens. So the address and the public key at the service are unknown. ${advice}, or watch the video once.`,
  )
}

function asksElsewhere(
  { embed, authUrl }: PlayerLook & { readonly kind: 'asks-elsewhere' },
  target: LockTarget,
): Finding {
  return failure(
    'viewer-auth-elsewhere',
    `The player ${embed} sends viewers to ${authUrl}, and not to an entry point of this app with tokens. ${adviceToLock(target)}`,
  )
}

/** @param isChoice true if the settings have entry points of both versions. */
function playerText(
  { embed }: PlayerLook & { readonly kind: 'answers' },
  target: LockTarget,
  isChoice = false,
): string {
  const name = nameOf(target)
  const fact = isChoice
    ? `so ${name} has no lock of either version: everyone may watch`
    : `so ${name} has no viewer auth: without another lock, everyone may watch`
  const advice = isChoice
    ? `Run lock set --${target.kind} ${target.id}, for tokens with --viewer-auth token.`
    : adviceToLock(target)
  return `The player ${embed} sends viewers to no login app, ${fact}. ${advice} If a script of the player asks for the login instead, watch the video once.`
}

/**
 * Compares the record of `lock set --viewer-auth token` with the entry points, if no player was seen to ask for a token.
 * The service does not show viewer auth.
 * @returns the name of the entry point that the record leads to; null without a record, undefined if it leads elsewhere.
 */
function checkViewerAuthRecord(
  io: CommandIo,
  config: Config,
  { settings }: Pick<Service, 'settings'>,
  target: LockTarget,
  report: Report,
): string | null | undefined {
  const record = openLockRecords(io, settings.baseUrl, RECORDS).find(target)
  if (record === null) return null
  const set = `lock set gave ${nameOf(target)} its viewer auth ${whenSet(record)}`
  const match = tokenEntryPoints(config).find((entryPoint) => addressOf(config, entryPoint) === record.url)
  if (match === undefined) {
    report(
      failure(
        'viewer-auth-elsewhere',
        `${set}, with the address ${record.url}, and not of this app. ${adviceToLock(target)}`,
      ),
    )
    return undefined
  }
  const isSame = record.fingerprint === keyFingerprint(match.contentKey)
  report(findingOf(config, match, isSame ? sameKey(set) : otherKey(set, target)))
  return match.name
}

function sameKey(set: string): Finding {
  return ok('viewer-auth-recorded', `${set}, with the public key of the settings.`)
}

function otherKey(set: string, target: LockTarget): Finding {
  return failure(
    'viewer-auth-key',
    `${set}, with another public key than that of CONTENT_KEY. The service refuses every token. Check CONTENT_KEY first. ${adviceToLock(target)}`,
  )
}

function adviceToLock({ kind, id }: LockTarget): string {
  return `Run lock set --${kind} ${id} --viewer-auth token.`
}
