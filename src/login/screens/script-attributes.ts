import ejs from 'ejs'
import { type Language, type PluralForms, type TextKey, type Texts, textsOf } from '../../languages/languages.ts'

interface TimedRefusal {
  readonly text: TextKey
  readonly retryAfterSeconds?: number
}

/** The data of a countdown in `public/login.js`. It counts down in units of the sentences. */
interface Countdown {
  readonly after: number
  readonly unit: 1 | 60
  /** While the script sends the form by itself. Only for a 503. */
  readonly automatic?: PluralForms
  readonly byHand: PluralForms
  readonly now: string
}

/** Returns the HTML attributes that give a form's texts to `public/login.js`. */
export function scriptAttributes(language: Language, refusal?: TimedRefusal): string {
  const { script, errors } = textsOf(language)
  const attributes = {
    'data-show-password': script.showPassword,
    'data-caps-lock': script.capsLock,
    'data-signing-in': script.signingIn,
  }
  const countdown = countdownOf(script, errors, refusal)
  const all = countdown === null ? attributes : { ...attributes, 'data-retry': JSON.stringify(countdown) }
  return Object.entries(all)
    .map(([name, value]) => ` ${name}="${ejs.escapeXML(value)}"`)
    .join('')
}

function countdownOf(script: Texts['script'], errors: Texts['errors'], refusal?: TimedRefusal): Countdown | null {
  if (refusal?.retryAfterSeconds === undefined) return null
  const { text, retryAfterSeconds: after } = refusal
  const now = script.retryNow
  switch (text) {
    case 'tooManyTries':
      return { after, unit: 1, byHand: errors.tooManyTries, now }
    case 'tooManyTriesMinutes':
      return { after, unit: 60, byHand: errors.tooManyTriesMinutes, now }
    case 'overloaded':
      return { after, unit: 1, automatic: script.retryOverloaded, byHand: script.retryIn, now }
    default:
      return { after, unit: 1, automatic: script.retryStoreDown, byHand: script.retryIn, now }
  }
}
