import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { fill, type Language, type Texts, textsOf } from '../../../languages/languages.ts'
import type { Explanation, RefusalOfAll } from '../../../login/answer/access-decision.ts'
import { inEachLanguage } from '../../../login/answer/policy-text.ts'
import { eventNamesOf } from '../../../services/event/service.ts'
import { timeText } from '../../../settings/times.ts'
import type { RegistrationState } from '../book/registration.ts'
import type { Openness } from '../book/registrations.ts'
import type { RegistrationSettings } from '../settings/settings.ts'

/** When a registration ends. */
export type Ends = Pick<RegistrationSettings, 'closesAt' | 'deletesAt'>

/** A sentence in place of a form, in every language. */
export type Message = Explanation & { readonly ofAll: RefusalOfAll }

/** Returns the words for a state, for the screen and for the gate. */
export function messageOfState(state: RegistrationState | 'unknown', entryPoint: EntryPoint): Message {
  const [title, text, next] = KEYS[state]
  const inAll = (key: WordKey) => inEachLanguage(({ registration }) => registration[key])
  const link = next === 'signIn' ? inEachLanguage(({ signIn }) => signIn) : next && inAll(next)
  const ofAll = { title: inAll(title), reason: `registration-${state}`, event: eventNamesOf(entryPoint), next: link }
  return { text: inAll(text), ofAll }
}

type Keys<T> = { [Key in keyof T]: T[Key] extends string ? Key : never }[keyof T]
type WordKey = Keys<Texts['registration']>

/** The title, the text, and the text of the link to the first screen, where it can help. */
const KEYS = {
  'waiting-for-approval': ['waitingTitle', 'waiting', 'checkAgain'],
  'on-waiting-list': ['listTitle', 'list', 'checkAgain'],
  approved: ['registeredTitle', 'registered', 'signIn'],
  refused: ['refusedTitle', 'refused', null],
  cancelled: ['cancelledTitle', 'cancelled', null],
  unknown: ['title', 'unknown', 'register'],
} as const satisfies Record<string, readonly [WordKey, WordKey, WordKey | 'signIn' | null]>

/** Returns the words for a registration that is full or closed. */
export function messageOfShut(openness: 'full' | 'closed', ends: Ends, entryPoint: EntryPoint): Message {
  const isFull = openness === 'full'
  return {
    text: isFull ? '' : inEachLanguage((_texts, language) => closedText(ends, language)),
    ofAll: {
      title: inEachLanguage(({ registration }) => (isFull ? registration.fullTitle : registration.closedTitle)),
      reason: `registration-${openness}`,
      event: eventNamesOf(entryPoint),
      next: isFull ? inEachLanguage(({ registration }) => registration.checkAgain) : null,
    },
  }
}

function closedText({ closesAt, deletesAt }: Ends, language: Language): string {
  const { seconds = 0, zone = 'UTC' } = closesAt ?? deletesAt ?? {}
  return fill(textsOf(language).registration.closed, { time: timeText(language, seconds, zone) })
}

/** Returns the sentence on the form for the address, such as that no place is free. */
export function noticeOf(openness: Openness, ends: Ends, language: Language): string {
  const { introduction, listNotice, full, already } = textsOf(language).registration
  if (openness === 'open') return introduction
  if (openness === 'waiting-list') return listNotice
  const sentence = openness === 'full' ? full : closedText(ends, language)
  return openness === 'over' ? sentence : `${sentence} ${already}`
}
