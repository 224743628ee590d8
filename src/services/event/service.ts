import { titleIn } from '../../brand/brand.ts'
import { Title } from '../../brand/fields.ts'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { Language } from '../../languages/languages.ts'
import { inEachLanguage } from '../../login/answer/policy-text.ts'
import type { Service } from '../../login/service.ts'

const EVENT = 'event'

export type Named = Pick<EntryPoint, 'brand' | 'features'>

/** The times of an event. */
export interface EventTimes {
  /** The next opening, as UNIX time in seconds; null if it has opened. */
  readonly opensAtSeconds: number | null
  /** The end after this opening. */
  readonly closesAtSeconds: number | null
  readonly timeZone: string
}

/** Returns the times as they are now, by the name of an entry point. Filled by a feature that knows them. */
export type Events = Map<string, () => EventTimes>

/** The event of an entry point: its name is a setting, and a feature knows its times. */
export const event: Service<Events> = {
  name: EVENT,
  settings: () => ({ eventName: Title.optional().meta({ inFile: 'object' }) }),
  read: ({ eventName }) => eventName ?? null,
  open: () => Promise.resolve({ handed: new Map() }),
}

/** Returns the name of the event of an entry point in every language; empty without one. */
export function eventNamesOf(entryPoint: Named) {
  return inEachLanguage((_texts, language) => eventNameOf(entryPoint, language) ?? '')
}

/** Returns the name of the event of an entry point in a language, else BRAND_TITLE; null without both. */
export function eventNameOf(entryPoint: Named, language: Language): string | null {
  return ownNameOf(entryPoint, language) ?? titleIn(entryPoint.brand.title, language, entryPoint.brand)
}

/** Returns EVENT_NAME of an entry point in a language. Null without one. */
export function ownNameOf({ brand, features }: Named, language: Language): string | null {
  return titleIn((features[EVENT] as typeof brand.title | undefined) ?? null, language, brand)
}
