import { fill, type Language, type Texts, textsOf } from '../../../languages/languages.ts'
import type { PolicyText } from '../../../login/answer/access-decision.ts'
import { inEachLanguage, policyText } from '../../../login/answer/policy-text.ts'
import { timeText } from '../../../settings/times.ts'
import type { RegistrationState } from '../book/registration.ts'
import type { Openness } from '../book/registrations.ts'
import type { RegistrationSettings } from '../settings/settings.ts'

/** A sentence in place of a form, in every language. `reason` is for programs. */
export interface Message {
  readonly title: PolicyText
  readonly text: PolicyText
  readonly reason: string
}

/** When a registration ends. */
export type Ends = Pick<RegistrationSettings, 'closesAt' | 'deletesAt'>

/** Returns the words for a state, for the screen and for the gate. */
export function messageOfState(state: RegistrationState | 'unknown'): Message {
  const [title, text] = KEYS[state]
  return {
    title: inEachLanguage((texts) => texts.registration[title]),
    text: inEachLanguage((texts) => texts.registration[text]),
    reason: `registration-${state}`,
  }
}

const KEYS = {
  'waiting-for-approval': ['waitingTitle', 'waiting'],
  'on-waiting-list': ['listTitle', 'list'],
  approved: ['registeredTitle', 'registered'],
  refused: ['refusedTitle', 'refused'],
  cancelled: ['cancelledTitle', 'cancelled'],
  unknown: ['title', 'unknown'],
} as const satisfies Record<string, readonly [keyof Texts['registration'], keyof Texts['registration']]>

/** Returns the words for a registration that is full or closed. */
export function messageOfShut(openness: 'full' | 'closed', { closesAt, deletesAt }: Ends): Message {
  const reason = `registration-${openness}`
  if (openness === 'full') {
    return {
      title: inEachLanguage((texts) => texts.registration.fullTitle),
      text: inEachLanguage((texts) => texts.registration.full),
      reason,
    }
  }
  const { seconds = 0, zone = 'UTC' } = closesAt ?? deletesAt ?? {}
  return {
    title: inEachLanguage((texts) => texts.registration.closedTitle),
    text: inEachLanguage((texts, language) =>
      fill(texts.registration.closed, { time: timeText(language, seconds, zone) }),
    ),
    reason,
  }
}

/** Returns the sentence on the form for the address, such as that no place is free. */
export function noticeOf(openness: Openness, ends: Ends, language: Language): string {
  const { introduction, listNotice, already } = textsOf(language).registration
  if (openness === 'open') return introduction
  if (openness === 'waiting-list') return listNotice
  const { text } = messageOfShut(openness === 'full' ? openness : 'closed', ends)
  const sentence = policyText(language, text)
  return openness === 'over' ? sentence : `${sentence} ${already}`
}
