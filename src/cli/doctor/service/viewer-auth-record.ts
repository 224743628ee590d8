import type { Config } from '../../../config.ts'
import { isHashEntryPoint } from '../../../entry-points/entry-point.ts'
import type { LockPlace } from '../../../video-service/locks.ts'
import { keyFingerprint } from '../../../viewer-token/content-key.ts'
import { nameOf } from '../../service/lock-place.ts'
import { openLockRecords, whenSet } from '../../service/lock-records.ts'
import type { Service } from '../../service/service.ts'
import { addressOf } from '../../settings/chosen-entry-point.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { type Finding, failure, findingOf, ok, type Report, unknown } from '../finding.ts'

export interface RecordedViewerAuth {
  /** The name of the entry point that the record leads to. */
  readonly entryPoint?: string
  /** Without a record: what is not known. */
  readonly unseen?: Finding
}

/**
 * Compares the record of `lock set --viewer-auth token` with the entry points. The service shows no viewer auth.
 * @param place null for all channels.
 */
export function checkViewerAuth(
  io: CommandIo,
  config: Config,
  { settings }: Pick<Service, 'settings'>,
  place: LockPlace | null,
  report: Report,
): RecordedViewerAuth {
  const candidates = config.entryPoints.flatMap((entryPoint) => (isHashEntryPoint(entryPoint) ? [] : [entryPoint]))
  if (candidates.length === 0) return {}
  const record = place && openLockRecords(io, settings.baseUrl, 'token').find(place)
  if (place === null || record === null) {
    const which = place === null ? 'Name a channel or video with --channel or --video' : 'Run lock set on this machine'
    const text = `The service does not show viewer auth, so its address and public key are unknown. ${which}, or watch the video once.`
    return { unseen: unknown('viewer-auth-unseen', text) }
  }
  const set = `lock set gave ${nameOf(place)} its viewer auth ${whenSet(record)}`
  const target = candidates.find((entryPoint) => addressOf(config, entryPoint) === record.url)
  if (target === undefined) {
    report(
      failure(
        'viewer-auth-elsewhere',
        `${set}, with the address ${record.url}, and not of this app. Run lock set --viewer-auth token.`,
      ),
    )
    return {}
  }
  const isSame = record.fingerprint === keyFingerprint(target.contentKey)
  report(findingOf(config, target, isSame ? sameKey(set) : otherKey(set)))
  return { entryPoint: target.name }
}

function sameKey(set: string): Finding {
  return ok('viewer-auth-recorded', `${set}, with the public key of the settings.`)
}

function otherKey(set: string): Finding {
  return failure(
    'viewer-auth-key',
    `${set}, with another public key than that of CONTENT_KEY. The service refuses every token. Run lock set --viewer-auth token.`,
  )
}
