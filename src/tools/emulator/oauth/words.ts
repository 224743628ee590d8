import { fill } from '../../../languages/languages.ts'
import de from './texts/de.json' with { type: 'json' }
import en from './texts/en.json' with { type: 'json' }
import es from './texts/es.json' with { type: 'json' }

/** All texts of the pages, in one language. */
export interface Words extends Readonly<typeof en> {
  /** A BCP 47 tag. */
  readonly language: string
  /** Returns a text with values in place of their names in braces. */
  say(text: TextName, values: Readonly<Record<string, string | number>>): string
}
type TextName = keyof typeof en

const LANGUAGES: readonly Words[] = [wordsIn('en', en), wordsIn('de', de), wordsIn('es', es)]
const Locale = /^([a-z]{2,3})(?:[_-][a-z0-9]{2,8})*$/i

function wordsIn(language: string, texts: typeof en): Words {
  return { ...texts, language, say: (text, values) => fill(texts[text], values) }
}

/** Returns the texts of the first available language, else English. "de_AT" and "de-CH" are German. */
export function wordsFor(wanted: readonly (string | null | undefined)[]): Words {
  const tags = [...wanted, 'en'].map((locale) => Locale.exec(locale ?? '')?.[1]?.toLowerCase())
  const [found] = tags.flatMap((tag) => LANGUAGES.filter(({ language }) => language === tag))
  return found ?? wordsIn('en', en)
}

/** True for a text in the form of a locale, such as "es_MX". */
export function isLocale(text: string): boolean {
  return text.length <= 35 && Locale.test(text)
}
