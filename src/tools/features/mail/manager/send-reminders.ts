import { setImmediate } from 'node:timers/promises'
import { readFeatureSettings } from '../../../../config.ts'
import { MAIL_SETTINGS } from '../../../../services/mail/settings.ts'
import { openMailServer, refusalOf } from '../../../../services/mail/smtp.ts'
import type { MailRow } from '../../../cli/manager/accounts/mail-rows.ts'
import { eventAt } from '../../../manager/mails/event-at.ts'
import type { SendMail } from '../../../manager/mails/mail-queue.ts'
import type { SectionDeps } from '../../../manager/section.ts'
import { peopleOf, type Recipient } from './event-people.ts'
import { reminderMail } from './reminder-mail.ts'

/** The kind of a plan. The name of its row is a UNIX time, or this word for a time that follows the start. */
export const PLAN = 'reminders'
export const BEFORE_START = 'before'
export const REMINDER = 'reminder'
export const HOUR_SECONDS = 3_600

/** The start may move. */
const CHECK_SECONDS = 20
const BATCH = 500
const SENT = { ok: true } as const
const LATE = { ok: false, fault: 'The event has started.', code: 'started' } as const

/** Lets the queue send reminders. A plan becomes mails when its time comes. */
export function setReminderKinds(deps: SectionDeps): void {
  deps.mails.setKind(PLAN, (_entryPoint, work) => work((plan) => startPlan(deps, plan)))
  deps.mails.setKind(REMINDER, async (name, work) => {
    const { entryPoint, startSeconds, endSeconds } = eventAt(deps, name)
    const { publicUrl, settings } = readFeatureSettings(deps.env, MAIL_SETTINGS)
    if (entryPoint === undefined || settings.server === null) return { ok: false, fault: `No settings for ${name}.` }
    const start = { startSeconds, endSeconds, events: deps.events, host: publicUrl.hostname }
    const server = await openMailServer(settings.server)
    const send: SendMail = async ({ id, username, addedAtSeconds }) => {
      const { value: person } = await peopleOf(deps, entryPoint, username).next()
      if (!person) return null
      if (startSeconds !== null && startSeconds <= deps.nowSeconds()) return LATE
      const mail = reminderMail(entryPoint, person.to, person.language, start)
      const sending = server.send({ ...mail, id: `reminder.${addedAtSeconds}.${id}` }).then(() => SENT)
      return await sending.catch((error: unknown) => refusalOf(username, error))
    }
    return await work(send).finally(server.close)
  })
}

/** Queues the mails of a plan when its time has come. The same work again, after a kill, queues no mail twice. */
async function startPlan(
  deps: SectionDeps,
  { id, entryPoint: name, username, manager }: MailRow,
): ReturnType<SendMail> {
  const now = deps.nowSeconds()
  const { entryPoint, startSeconds } = eventAt(deps, name)
  const dueSeconds = username === BEFORE_START ? (startSeconds ?? Infinity) - HOUR_SECONDS : Number(username)
  if (entryPoint === undefined || dueSeconds > now)
    return { ok: true, untilSeconds: Math.min(Math.max(dueSeconds, now + 1), now + CHECK_SECONDS) }
  if (startSeconds !== null && startSeconds <= now) return LATE
  function add(people: readonly Recipient[]): void {
    for (const [language, group] of Map.groupBy(people, (person) => person.language)) {
      const usernames = group.map((person) => person.username)
      deps.mails.add({ kind: REMINDER, entryPoint: name, language, usernames, manager, batch: id })
    }
  }
  let people: Recipient[] = []
  for await (const person of peopleOf(deps, entryPoint)) {
    if (people.push(person) < BATCH) continue
    add(people)
    people = []
    // The page answers meanwhile.
    await setImmediate()
  }
  add(people)
  return SENT
}
