import { fill } from '../../languages/languages.ts'
import { gateRefusal } from '../../login/answer/policy-text.ts'
import type { Gate } from '../../login/route-deps.ts'
import { timeText } from '../../settings/times.ts'
import { accountEndOf } from './account-end.ts'

/**
 * Creates a gate that lets viewers pass until their accounts end, and ends their answers then.
 * @param nowSeconds UNIX time in seconds.
 */
export function createGate(nowSeconds: () => number): Gate {
  return (_req, _res, { viewer: { attributes } }) => {
    const end = accountEndOf(attributes)
    if (end === null) return null
    if (end === 'unreadable') {
      return gateRefusal('account-end-unreadable', (texts) => texts['account-end'].unreadable)
    }
    if (nowSeconds() < end.seconds) return { ok: true, endsAtSeconds: end.seconds }
    return gateRefusal('account-ended', (texts, language) => {
      // The zone of the operator: the machine's own is UTC in most containers.
      return fill(texts['account-end'].ended, { time: timeText(language, end.seconds, end.zone) })
    })
  }
}
