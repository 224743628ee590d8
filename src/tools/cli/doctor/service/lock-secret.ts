import type { Config } from '../../../../config.ts'
import type { Lock, LockTarget } from '../../../video-service/locks.ts'
import { differences, type ExpectedLock } from '../../service/expected-lock.ts'
import { compareRecorded, ifUnchanged, openLockRecords, type RecordedSecret } from '../../service/lock-records.ts'
import { nameOf } from '../../service/lock-target.ts'
import type { Service } from '../../service/service.ts'
import { chosenHashEntryPoint } from '../../settings/chosen-entry-point.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { type Finding, failure, findingOf, ok, unknown, warning } from '../finding.ts'

/**
 * Returns the check of a lock that leads to an entry point: does the lock have the secret of the settings? The service
 * shows the secret of a video's lock. For a channel's lock, only the record of `lock set` tells.
 */
export function lockSecretCheck(
  io: CommandIo,
  config: Config,
  { settings }: Pick<Service, 'settings'>,
): (lock: Lock, target: LockTarget, match: ExpectedLock) => Finding {
  const records = openLockRecords(io, settings.baseUrl)
  return (lock, target, match) => {
    const entryPoint = chosenHashEntryPoint(config, match.entryPoint)
    const leads = `The lock of ${nameOf(target)} leads to ${match.url}`
    const lockSet = `lock set --${target.kind} ${target.id}${config.entryPoints.length > 1 ? ` --entry-point ${entryPoint.name}` : ''}`
    if (lock.secret !== undefined) return findingOf(config, entryPoint, compareShown(leads, lock, lockSet, match))
    const recorded = compareRecorded(records, target, lock, match)
    const finding = recorded === null ? unseen(leads, lockSet) : findingOfRecord(leads, recorded, lockSet)
    return findingOf(config, entryPoint, finding)
  }
}

const DAY_MS = 86_400_000
/** Findings without a proof. `lock-secret-same` has a condition, if the service does not show the secret. */
const UNPROVEN = ['lock-secret-unseen', 'lock-secret-unproven', 'lock-secret-same']

/** Leaves out the findings about an unproven or unknown secret of the lock: the view has proven the secret. */
export function withoutSecret(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ code }) => !UNPROVEN.includes(code))
}

/** @param lockSet the command that sets the lock right. */
function compareShown(leads: string, lock: Lock, lockSet: string, match: ExpectedLock): Finding {
  const wrong = differences(lock, match)
  if (wrong.length === 0) return ok('lock-secret-same', `${leads} and has its secret.`)
  return failure(
    'lock-secret-differs',
    `${leads}, but ${wrong.join('; ')}. Players refuse every response. Run ${lockSet}.`,
  )
}

function findingOfRecord(leads: string, { secret, when, setAtMs }: RecordedSecret, lockSet: string): Finding {
  if (secret === 'same') {
    const text = `${leads}. lock set gave it the secret of the settings ${when}. The service does not show if it was changed elsewhere since then: run lock set again, or use --watch.`
    const isFresh = Date.now() - setAtMs < DAY_MS
    const finding = isFresh ? ok('lock-secret-same', text) : unknown('lock-secret-unproven', text)
    return { ...finding, condition: ifUnchanged(setAtMs) }
  }
  if (secret === 'previous') {
    return warning(
      'lock-secret-second',
      `${leads}, but lock set gave it the second secret of the settings ${when}. The app tries both, so some viewers sign in twice. Finish the change of the secret.`,
    )
  }
  return failure(
    'lock-secret-differs',
    `${leads}, but lock set gave it another secret ${when}. Players refuse every response. Run ${lockSet} again, also if the lock was set elsewhere since then.`,
  )
}

function unseen(leads: string, lockSet: string): Finding {
  return unknown(
    'lock-secret-unseen',
    `${leads}, but its secret is unknown: the service does not show it, and this machine has no record of lock set. With another secret, players refuse every response. Run ${lockSet} on this machine, or use --watch.`,
  )
}
