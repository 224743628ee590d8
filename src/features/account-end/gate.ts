import { fill, LANGUAGES, type Language, textsOf } from '../../languages/languages.ts'
import type { AccessRefused } from '../../login/answer/access-decision.ts'
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
      return refusal('account-end-unreadable', (language) => textsOf(language)['account-end'].unreadable)
    }
    if (nowSeconds() < end.seconds) return { ok: true, endsAtSeconds: end.seconds }
    return refusal('account-ended', (language) => {
      // The zone of the operator: the machine's own is UTC in most containers.
      return fill(textsOf(language)['account-end'].ended, { time: timeText(language, end.seconds, end.zone) })
    })
  }
}

function refusal(code: string, textIn: (language: Language) => string): AccessRefused {
  const text = { en: textIn('en'), ...Object.fromEntries(LANGUAGES.map((language) => [language, textIn(language)])) }
  return { ok: false, reason: 'not-entitled', code, explanation: { text } }
}
