import { de } from './words/de.ts'
import { en } from './words/en.ts'
import { es } from './words/es.ts'
import type { Words } from './words/words.ts'

const LANGUAGES: readonly Words[] = [en, de, es]
const Locale = /^([a-z]{2,3})(?:[_-][a-z0-9]{2,8})*$/i

/** Returns the texts of the first available language, else English. "de_AT" and "de-CH" are German. */
export function wordsFor(wanted: readonly (string | null | undefined)[]): Words {
  const found = wanted.flatMap((locale) => {
    const language = Locale.exec(locale ?? '')?.[1]?.toLowerCase()
    return LANGUAGES.filter((words) => words.language === language)
  })
  return found[0] ?? en
}

/** True for a text in the form of a locale, such as "es_MX". */
export function isLocale(text: string): boolean {
  return text.length <= 35 && Locale.test(text)
}
