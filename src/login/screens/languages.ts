import type { Request } from 'express'
import { LRUCache } from 'lru-cache'
import de from '../../../views/languages/de.json' with { type: 'json' }
import en from '../../../views/languages/en.json' with { type: 'json' }
import es from '../../../views/languages/es.json' with { type: 'json' }
import ja from '../../../views/languages/ja.json' with { type: 'json' }

/** All texts of the screens. To add a language, add a file in views/languages and its name here. */
const CATALOGUES = { en, de, es, ja }

export type Language = keyof typeof CATALOGUES
export type Texts = typeof en
export type TextKey = keyof Texts['errors']

const LANGUAGES = Object.keys(CATALOGUES) as Language[]
/** Cache: the language for each recent `Accept-Language` header. */
const languages = new LRUCache<string, Language>({ max: 500 })

export function textsOf(language: Language): Omit<Texts, 'errors'> {
  return CATALOGUES[language]
}

/** Returns the language that fits `Accept-Language` best; English if none fits. */
export function languageOf(req: Pick<Request, 'headers' | 'acceptsLanguages'>): Language {
  const header = req.headers['accept-language']
  if (header === undefined) return 'en'
  const cached = languages.get(header)
  if (cached !== undefined) return cached
  const accepted = req.acceptsLanguages(LANGUAGES)
  const language = LANGUAGES.find((name) => name === accepted) ?? 'en'
  languages.set(header, language)
  return language
}

/**
 * Returns the sentence for an error. `count` selects the plural form, if the sentence has several.
 * @param values replace their names in braces. Plain text, which the screen escapes.
 */
export function errorText(
  language: Language,
  key: TextKey,
  values: Readonly<Record<string, string | number>> = {},
): string {
  const entry: string | Record<string, string> = CATALOGUES[language].errors[key]
  const text = typeof entry === 'string' ? entry : pluralForm(language, entry, Number(values.count ?? 0))
  return fill(text, values)
}

/** Replaces each `{name}` in the text by its value. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (braced, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : braced,
  )
}

function pluralForm(language: Language, forms: Record<string, string>, count: number): string {
  return forms[new Intl.PluralRules(language).select(count)] ?? forms.other ?? ''
}
