import { readFileSync } from 'node:fs'
import type { Request } from 'express'
import en from '../../../../views/manager/texts/en.json' with { type: 'json' }
import { completed, fill, type PluralForms } from '../../../languages/languages.ts'

/** The languages of the page. Readers of other languages get English. */
const LANGUAGES = ['en', 'de'] as const
type Language = (typeof LANGUAGES)[number]
export type Texts = typeof en
type Values = Readonly<Record<string, string | number>>

const CATALOGS: Readonly<Record<Language, Texts>> = { en: withFeatures(en), de: withFeatures(readTexts('de')) }

function readTexts(language: string): Texts {
  const file = new URL(`../../../../views/manager/texts/${language}.json`, import.meta.url)
  return completed(JSON.parse(readFileSync(file, 'utf8')), en) as Texts
}

interface FeatureWords {
  readonly outcomes: Readonly<Record<string, string>>
  readonly wayNames: Readonly<Record<string, string>>
}

/** Adds the words of features for their outcomes and ways in. Each feature has a block with its name. */
function withFeatures(texts: Texts): Texts {
  const isOfFeature = (block: unknown): block is FeatureWords =>
    typeof block === 'object' && block !== null && 'outcomes' in block && 'wayNames' in block
  const blocks = Object.values<unknown>(texts).filter(isOfFeature)
  const outcomes = Object.assign({}, texts.outcomes, ...blocks.map((block) => block.outcomes))
  const wayNames = Object.assign({}, texts.evening.wayNames, ...blocks.map((block) => block.wayNames))
  return { ...texts, outcomes, evening: { ...texts.evening, wayNames } }
}

/** The texts, numbers and times of one language. */
export type Words = ReturnType<typeof createWords>

/** Returns the words for a request. */
export type WordsFor = (req: Pick<Request, 'acceptsLanguages'>) => Words

/** Returns the name of the event of an entry point. */
type EventIn = (entryPoint: string, language: string) => string

/** @param timeZone returns the zone of the page, which doors may change. */
export function openWords(timeZone: () => string, eventIn: EventIn = (name) => name): WordsFor {
  const known = new Map<string, Words>()
  return (req) => {
    const wanted = req.acceptsLanguages([...LANGUAGES])
    const language = LANGUAGES.find((one) => one === wanted) ?? 'en'
    const zone = timeZone()
    const key = `${language} ${zone}`
    const words = known.get(key) ?? createWords(language, zone, eventIn)
    known.set(key, words)
    return words
  }
}

function createWords(language: Language, timeZone: string, eventIn: EventIn) {
  const t = CATALOGS[language]
  // English as most of the world writes it: 24 hours, day first.
  const locale = language === 'en' ? 'en-GB' : language
  const number = new Intl.NumberFormat(language)
  const plurals = new Intl.PluralRules(language)
  const day = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
  const minute = { hour: '2-digit', minute: '2-digit' } as const
  const time = new Intl.DateTimeFormat(locale, { timeZone, ...day, ...minute })
  const clock = new Intl.DateTimeFormat(locale, { timeZone, ...minute })
  const event = (entryPoint: string) => eventIn(entryPoint, language)
  const dayOf = new Intl.DateTimeFormat(locale, { timeZone })
  const isDay = (ms: number, other: number) => dayOf.format(ms) === dayOf.format(other)
  return {
    language,
    t,
    /** The name of the event of an entry point, or else that of the entry point. */
    event,
    /**
     * Returns a text by its path, such as `people.added`, with values in place of `{name}`. `count` chooses the plural form,
     * and `entryPoint` is shown as its event.
     */
    say(path: string, values: Values = {}): string {
      const found = textAt(t, path)
      const text = typeof found === 'string' ? found : (found?.[plurals.select(Number(values.count))] ?? found?.other)
      const shown = Object.entries(values).map(([name, value]) => {
        if (typeof value === 'number') return [name, number.format(value)]
        return [name, name === 'entryPoint' ? event(value) : value]
      })
      return fill(text ?? path, Object.fromEntries(shown))
    },
    /** True if there is a text at the path. */
    has: (path: string) => textAt(t, path) !== null,
    number: (value: number) => number.format(value),
    /** A day and time, in the zone of the page. */
    time: (ms: number) => time.format(ms),
    clock: (ms: number) => clock.format(ms),
    /** The time of day, with its day unless it is the day of `nowMs`. */
    clockOrTime: (ms: number, nowMs: number) => (isDay(ms, nowMs) ? clock : time).format(ms),
    zone: timeZone,
    /** As the page names it, such as `Europe/Berlin` or `UTC+01:00`. */
    zoneName: /^[+-]/.test(timeZone) ? `UTC${timeZone}` : timeZone,
  }
}

/** A text, or its plural forms. */
type Text = string | PluralForms

function textAt(texts: object, path: string): Text | null {
  const found = path
    .split('.')
    .reduce<unknown>((part, key) => (typeof part === 'object' && part !== null ? Reflect.get(part, key) : null), texts)
  const isText = typeof found === 'string' || (typeof found === 'object' && found !== null && 'other' in found)
  return isText ? (found as Text) : null
}
