import type { Config } from '../../../../config.ts'
import { keyFingerprint } from '../../../../features/token/viewer-token/content-key.ts'
import { type Finding, failure, findingOf, ok, type Report } from '../../../cli/doctor/finding.ts'
import { openLockRecords, whenSet } from '../../../cli/service/lock-records.ts'
import { nameOf } from '../../../cli/service/lock-target.ts'
import type { Service } from '../../../cli/service/service.ts'
import { addressOf } from '../../../cli/settings/chosen-entry-point.ts'
import type { CommandIo } from '../../../cli/terminal/io.ts'
import type { LockTarget } from '../../../video-service/locks.ts'
import { RECORDS } from '../service/viewer-auth-lock.ts'
import { tokenEntryPoints } from './seen-player.ts'

/**
 * Compares the record of `lock set --viewer-auth token` with the entry points, if no player was seen to ask for a token.
 * The service does not show viewer auth.
 * @returns the name of the entry point that the record leads to; null without a record, undefined if it leads elsewhere.
 */
export function checkViewerAuthRecord(
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

export function adviceToLock({ kind, id }: LockTarget): string {
  return `Run lock set --${kind} ${id} --viewer-auth token.`
}
