import { listChannels } from '../../../video-service/channels.ts'
import type { LockTarget } from '../../../video-service/locks.ts'
import { ServiceRefusal, ServiceUnreachable } from '../../../video-service/service-errors.ts'
import { isRefusal, type Service } from '../../service/service.ts'
import { serviceFault } from '../../service/service-fault.ts'
import { type Finding, failure } from '../finding.ts'
import FINDING_CODES from './finding-codes.json' with { type: 'json' }

/** A code for each error value of the service that has a cause of its own. */
const CODES: ReadonlyMap<string, string> = new Map(Object.entries(FINDING_CODES))

/**
 * Names the cause of an error of the video service. Null for an error of another kind.
 * @param target the channel or video that was looked at, if any.
 */
export async function findingOfServiceError(
  error: unknown,
  service: Pick<Service, 'api' | 'settings' | 'signal'>,
  target: LockTarget | null,
): Promise<Finding | null> {
  const fault = serviceFault(error, service.settings)
  if (fault === null) return null
  if (target?.kind === 'channel' && isRefusal(error, 'not_found')) return await missingLock(target.id, service)
  return failure(codeOf(error), `The video service could not be checked. ${fault}`)
}

/** A channel without a lock and an unknown channel are the same error. */
export async function missingLock(id: string, { api, signal }: Pick<Service, 'api' | 'signal'>): Promise<Finding> {
  const channels = await listChannels(api, signal).catch(() => null)
  if (channels?.some((channel) => channel.id === id)) {
    const effect = 'so everyone may watch without signing in'
    return failure('channel-unlocked', `The channel ${id} has no lock, ${effect}. Run lock set --channel ${id}.`)
  }
  const advice = channels === null ? 'Check the id on its website.' : 'See channel list.'
  return failure('channel-unknown', `The service does not find the channel ${id}, or a lock of it. ${advice}`)
}

function codeOf(error: unknown): string {
  if (error instanceof ServiceUnreachable) {
    return error.reason === 'certificate' ? 'service-certificate' : 'service-unreachable'
  }
  if (!(error instanceof ServiceRefusal)) return 'service-unexpected'
  return CODES.get(error.error) ?? (error.status >= 500 ? 'service-away' : 'service-refused')
}
