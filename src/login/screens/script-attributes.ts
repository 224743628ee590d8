import ejs from 'ejs'
import { type Language, type TextKey, type Texts, textsOf } from '../../languages/languages.ts'

type TimedRefusal = { readonly text: TextKey; readonly retryAfterSeconds?: number }

/** Returns the HTML attributes by which `public/login.js` shows the passwords of a form. */
export function passwordAttributes(language: Language): string {
  const { showPassword, capsLock } = textsOf(language).script
  return attributesOf({ 'data-show-password': showPassword, 'data-caps-lock': capsLock })
}

/** Returns the HTML attributes by which `public/login.js` sends the sign-in form. */
export function scriptAttributes(language: Language, refusal?: TimedRefusal): string {
  const { script, errors } = textsOf(language)
  const countdown = countdownOf(script, errors, refusal)
  const retry = countdown === null ? {} : { 'data-retry': JSON.stringify(countdown) }
  return passwordAttributes(language) + attributesOf({ 'data-signing-in': script.signingIn, ...retry })
}

function attributesOf(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${ejs.escapeXML(value)}"`)
    .join('')
}

/** Returns the data of a countdown in `public/login.js`. `automatic`, for a 503, is shown until the script sends the form. */
function countdownOf(script: Texts['script'], errors: Texts['errors'], refusal?: TimedRefusal) {
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
