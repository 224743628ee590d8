import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { type Language, sentence, textsOf } from '../../../../languages/languages.ts'
import { calendarFile } from '../../../../services/mail/calendar.ts'
import { buildMail } from '../../../../services/mail/layout.ts'
import type { Mail } from '../../../../services/mail/smtp.ts'
import { watchUrlOf } from '../../../../services/watch-page/service.ts'
import { timeText } from '../../../../settings/times.ts'
import type { EventTimes } from '../../../cli/settings/event-times.ts'
import { eventNameIn } from '../../../manager/mails/event-at.ts'

interface Start {
  /** UNIX times. Null for an event without a start, or without an end. */
  readonly startSeconds: number | null
  readonly endSeconds: number | null
  readonly events: readonly EventTimes[]
  /** Stands for a service without a name. */
  readonly host: string
}

/** Builds the mail that reminds a person of an event. */
export function reminderMail(entryPoint: EntryPoint, to: string, language: Language, start: Start): Mail {
  const { startSeconds, endSeconds, events, host } = start
  const { mail } = textsOf(language)
  const { brand } = entryPoint
  const service = brand.name ?? host
  const zones = events.flatMap(({ zoneAt }) => zoneAt(entryPoint) ?? [])
  const time = startSeconds === null ? '' : timeText(language, startSeconds, zones[0] ?? 'UTC')
  const event = eventNameIn(events, entryPoint, language) ?? service
  const fillIn = (text: string) => sentence(language, text, { event, time })
  const address = watchUrlOf(entryPoint)
  const frame = { to, service, language, brand, watchUrl: null, request: null }
  const reminder = buildMail(frame, {
    subject: fillIn(mail.reminderSubject),
    greeting: null,
    above: [fillIn(mail.reminder), ...(startSeconds === null ? [] : [fillIn(mail.reminderStart)])],
    ...(address !== null && { link: { address, text: mail.goToVideo } }),
    below: [fillIn(mail.reminderWhy)],
  })
  if (startSeconds === null) return reminder
  const times = { opensAtSeconds: startSeconds, closesAtSeconds: endSeconds }
  const inCalendar = { entryPoint: entryPoint.name, host, title: event, ...times, watchUrl: address }
  return { ...reminder, calendar: calendarFile(inCalendar, Date.now() / 1000) }
}
