import type { EntryPoint } from '../../entry-points/entry-point.ts'
import { sentence, type Texts, textsOf } from '../../languages/languages.ts'
import { type Events, eventNameOf } from '../../services/event/service.ts'
import type { RecordWrite } from '../../services/guests/guest-records.ts'
import { calendarFile } from '../../services/mail/calendar.ts'
import { buildMail } from '../../services/mail/layout.ts'
import type { Mail } from '../../services/mail/smtp.ts'
import { createNoticeSteps } from '../../services/mail-code/notice-steps.ts'
import type { BuildNotice } from '../../services/mail-code/notices.ts'
import { watchUrlOf } from '../../services/watch-page/service.ts'
import { timeText } from '../../settings/times.ts'
import type { Notice } from './book/book.ts'
import type { Registration } from './book/registration.ts'
import { REGISTRATION } from './settings/settings.ts'

type MailTexts = Texts['registration']['mail']
type Words = readonly [subject: keyof MailTexts, ...paragraphs: (keyof MailTexts)[]]

/** The subject and the paragraphs of each notice. Guests who may watch get the address of the page with the video. */
const NOTICES: Readonly<Record<string, Words>> = {
  'waiting-for-approval': ['receivedSubject', 'received'],
  'on-waiting-list': ['listSubject', 'list'],
  approved: ['approvedSubject', 'approved'],
  'place-free': ['placeFreeSubject', 'placeFree', 'approved'],
  'place-free-waiting': ['placeFreeSubject', 'placeFree', 'received'],
  refused: ['refusedSubject', 'refused'],
  cancelled: ['refusedSubject', 'cancelled'],
} satisfies Record<Notice, Words>
const MAY_WATCH = ['approved', 'place-free']
const OVER = ['refused', 'cancelled']

/** Returns the function that builds the mails of the registration at an entry point. */
export function createMails(entryPoint: EntryPoint, host: string, events: Events): BuildNotice {
  const { brand, name: entryPointName } = entryPoint
  const service = brand.name ?? host
  return ({ address, name, language }): Mail | null => {
    const keys = NOTICES[name]
    if (keys === undefined) return null
    const { registration, mail: shared } = textsOf(language)
    const times = events.get(entryPointName)?.()
    const { opensAtSeconds: opens = null, timeZone = 'UTC' } = times ?? {}
    const time = opens === null ? '' : timeText(language, opens, timeZone)
    const event = eventNameOf(entryPoint, language) ?? service
    const fillIn = (key: keyof MailTexts) => sentence(language, registration.mail[key], { service: event, time })
    const [subject = '', ...above] = keys.map(fillIn)
    const isOver = OVER.includes(name)
    const watchUrl = MAY_WATCH.includes(name) ? watchUrlOf(entryPoint) : null
    const frame = { to: address, service, language, brand, watchUrl: null, request: null }
    const mail = buildMail(frame, {
      subject,
      greeting: null,
      above: opens === null || isOver ? above : [...above, fillIn('opens')],
      ...(watchUrl !== null && { link: { address: watchUrl, text: shared.goToVideo } }),
      below: isOver ? [fillIn('why')] : [fillIn('why'), fillIn('withdraw')],
    })
    if (!times || opens === null || !MAY_WATCH.includes(name)) return mail
    const inCalendar = { entryPoint: entryPointName, host, title: event, ...times, opensAtSeconds: opens, watchUrl }
    return { ...mail, calendar: calendarFile(inCalendar, Date.now() / 1000) }
  }
}

const SPACING_MS = 1_000

/**
 * Returns the function that creates the records of mails, for the app and for commands.
 * @param spacingMs the time between two mails.
 */
export function mailSteps(
  secrets: readonly string[],
  entryPoint: string,
  nowSeconds: () => number,
  spacingMs = SPACING_MS,
): (registration: Pick<Registration, 'address' | 'language'>, notice: Notice) => RecordWrite[] {
  const scope = { feature: REGISTRATION, entryPoint: { name: entryPoint } }
  const stepFor = createNoticeSteps(secrets, scope, { nowMs: () => nowSeconds() * 1000, spacingMs })
  return ({ address, language }, name) => [stepFor({ address, language, name })]
}
