import { LANGUAGES, type Language, type Texts, textsOf } from '../../languages/languages.ts'
import type { AccessRefused, PolicyText } from './access-decision.ts'

/** Returns a text in every language. */
export function inEachLanguage(textIn: (texts: Texts, language: Language) => string) {
  const all = LANGUAGES.map((language) => [language, textIn(textsOf(language), language)])
  return { en: textIn(textsOf('en'), 'en'), ...Object.fromEntries(all) }
}

/** Returns the refusal of a gate, with its sentence in every language. @param code for the log, as in `AccessDecision`. */
export function gateRefusal(code: string, textIn: (texts: Texts, language: Language) => string) {
  return {
    ok: false,
    reason: 'not-entitled',
    code,
    explanation: { text: inEachLanguage(textIn), reason: code },
  } satisfies AccessRefused
}

/** Returns a text in one language. */
export function policyText(language: Language, text: PolicyText): string {
  return typeof text === 'string' ? text : (text[language] ?? text.en)
}
