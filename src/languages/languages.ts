import { readdirSync, readFileSync } from 'node:fs'
import { parse } from 'node:path'
import type { Request } from 'express'
import { LRUCache } from 'lru-cache'
import en from '../../views/languages/en.json' with { type: 'json' }
import { orUndefined } from '../errors.ts'

/** The name of a file in views/languages: a BCP 47 tag. */
export type Language = string

/** The forms of a sentence that counts, by plural category of its language (`Intl.PluralRules`). */
export type PluralForms = Readonly<Record<string, string>>
type TypeOfTexts<Entry> = Entry extends string
  ? string
  : Entry extends { other: string }
    ? PluralForms
    : { readonly [Key in keyof Entry]: TypeOfTexts<Entry[Key]> }

/** All texts of the screens, in one language. */
export type Texts = TypeOfTexts<typeof en>
/** A sentence for an error: a key of `errors`, or `FEATURE.KEY` of the errors of a feature. */
export type TextKey = keyof Texts['errors'] | KeyOfFeature
type KeyOfFeature = {
  [Name in keyof Texts]: Texts[Name] extends { readonly errors: infer Errors }
    ? `${Name}.${keyof Errors & string}`
    : never
}[keyof Texts]
export type TextValues = Readonly<Record<string, string | number>>

const FOLDER = new URL('../../views/languages/', import.meta.url)
/** Browsers send fewer. Limits the time that a long header costs. */
const MOST_ACCEPTED = 20
const LONGEST_TAG = 35
const CATALOGS: ReadonlyMap<Language, Texts> = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => [parse(file).name, readCatalog(file)]),
)
/** Languages whose readers also read another: Norwegian without a choice, and Nynorsk, get Bokmål. */
const RELATED: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb' }
export const LANGUAGES: readonly Language[] = [...CATALOGS.keys()]
const LOCALES = LANGUAGES.map((language) => [language, likelyLocale(language)] as const)
/** Cache: the language for each recent `Accept-Language` header; null if the app has no such language. */
const acceptedLanguages = new LRUCache<string, { readonly language: Language | null }>({ max: 500 })

function readCatalog(file: string): Texts {
  try {
    return completed(JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')), en) as Texts
  } catch (cause) {
    throw new Error(`views/languages/${file} is not JSON`, { cause })
  }
}

/** Returns a catalog with the English texts in place of missing and empty ones, so that no button is empty. */
export function completed(given: unknown, english: object): object {
  const texts: Readonly<Record<string, unknown>> = typeof given === 'object' && given !== null ? { ...given } : {}
  const entries = Object.entries(english).map(([key, text]) => {
    const own = texts[key]
    if (typeof text === 'string') return [key, typeof own === 'string' && own.trim() !== '' ? own : text]
    const hasForms = typeof own === 'object' && own !== null && 'other' in own
    return [key, 'other' in text && hasForms ? own : completed(own, text)]
  })
  return Object.fromEntries(entries)
}

export function textsOf(language: Language): Texts {
  return CATALOGS.get(language) ?? en
}

type LanguageRequest = Pick<Request, 'headers' | 'acceptsLanguages' | 'method' | 'url' | 'query'> & {
  readonly body?: unknown
}

/**
 * Returns the language for a request: the viewer's choice, else the best for `Accept-Language`, else the default.
 * @param defaultLanguage of the entry point.
 */
export function languageOf(req: LanguageRequest, defaultLanguage: Language = 'en'): Language {
  return chosenLanguage(req) ?? acceptedLanguage(req) ?? defaultLanguage
}

/** Returns the language that the viewer or the player chose with `lang`; null without a known one. */
export function chosenLanguage(req: LanguageRequest): Language | null {
  return requestedLanguage(fieldsOf(req))
}

/** As chosenLanguage(), from a parsed query or form. A repeated field is an array, and is ignored. */
export function requestedLanguage({ lang }: { readonly lang?: unknown }): Language | null {
  return typeof lang === 'string' ? knownLanguage(lang) : null
}

/** The query of a post is ignored, as everywhere. Express parses a query at each access, so only if it can help. */
function fieldsOf(req: LanguageRequest): object {
  if (req.method !== 'POST') return req.url.includes('lang=') ? req.query : {}
  return typeof req.body === 'object' && req.body !== null ? req.body : {}
}

function acceptedLanguage(req: LanguageRequest): Language | null {
  const header = req.headers['accept-language']
  if (header === undefined) return null
  let accepted = acceptedLanguages.get(header)
  if (accepted === undefined) {
    const known = req.acceptsLanguages().slice(0, MOST_ACCEPTED).map(knownLanguage)
    accepted = { language: known.find((language) => language !== null) ?? null }
    acceptedLanguages.set(header, accepted)
  }
  return accepted.language
}

/**
 * Returns the file for a BCP 47 tag: of the same language, if possible in the same script, if possible of the same
 * region. Null without such a file. A tag without a script or a region has the likely ones: "pt" is "pt-Latn-BR".
 */
export function knownLanguage(tag: string): Language | null {
  const wanted = likelyLocale(tag)
  if (wanted === undefined) return null
  const scoreOf = (offered: Intl.Locale | undefined) =>
    (offered?.script === wanted.script ? 2 : 0) + (offered?.region === wanted.region ? 1 : 0)
  const [best] = LOCALES.filter(([, offered]) => offered?.language === wanted.language).toSorted(
    ([, one], [, other]) => scoreOf(other) - scoreOf(one),
  )
  const related = RELATED[wanted.language]
  return best?.[0] ?? (related === undefined ? null : knownLanguage(related))
}

function likelyLocale(tag: string): Intl.Locale | undefined {
  return tag.length > LONGEST_TAG ? undefined : orUndefined(() => new Intl.Locale(tag).maximize())
}

/**
 * Returns the sentence for an error. See sentence().
 * @param usernameKind `email` for the sentence about the email instead of the user name, if there is one.
 */
export function errorText(
  language: Language,
  key: TextKey,
  values: TextValues = {},
  usernameKind: 'username' | 'email' = 'username',
): string {
  const texts = textsOf(language)
  const aboutEmail = usernameKind === 'email' ? errorIn(texts, `${key}Email`) : ''
  return sentence(language, aboutEmail || errorIn(texts, key), values)
}

/** Returns the sentence for an error as the catalog has it. */
function errorIn(texts: Texts, key: string): string | PluralForms {
  const [feature = '', own] = key.split('.')
  const { errors }: { readonly errors?: Readonly<Record<string, string | PluralForms>> } =
    own === undefined ? texts : ({ ...texts }[feature as keyof Texts] as object)
  return errors?.[own ?? feature] ?? ''
}

/**
 * Returns a text with its values. `count` selects the plural form, if the text has several.
 * @param values replace their names in braces. Plain text, which the screen escapes.
 */
export function sentence(language: Language, text: string | PluralForms, values: TextValues): string {
  if (typeof text === 'string') return fill(text, values)
  const category = new Intl.PluralRules(language).select(Number(values.count ?? 0))
  return fill(text[category] ?? text.other ?? '', values)
}

/** Replaces each `{name}` in the text by its value. */
export function fill(text: string, values: TextValues): string {
  return text.replace(/\{(\w+)\}/g, (braced, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : braced,
  )
}
