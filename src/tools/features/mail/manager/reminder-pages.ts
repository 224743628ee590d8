import { readFeatureSettings } from '../../../../config.ts'
import { MAIL_SETTINGS } from '../../../../services/mail/settings.ts'
import { MAIL_STATES } from '../../../cli/manager/accounts/mail-rows.ts'
import {
  type Answer,
  EDITORS,
  get,
  page,
  post,
  redirect,
  type Sentence,
  type Visit,
} from '../../../manager/door/route.ts'
import { eventAt } from '../../../manager/mails/event-at.ts'
import { readField, type Typed } from '../../../manager/pages/typed-times.ts'
import type { SectionDeps } from '../../../manager/section.ts'
import { countPeople } from './event-people.ts'
import { BEFORE_START, HOUR_SECONDS, PLAN, REMINDER } from './send-reminders.ts'

const MOST_PLANS = 5

/** Plans a reminder for all people of an event, and stops it. */
export function reminderRoutes(deps: SectionDeps) {
  const path = '/mails/:entryPoint/remind'
  return [
    get(path, EDITORS, (visit) => show(deps, visit)),
    post(path, EDITORS, 'reminder-planned', (visit) => plan(deps, visit)),
    post(`${path}/stop`, EDITORS, 'reminder-stopped', (visit) => stop(deps, visit)),
  ]
}

/** Returns the last plans of events. */
export function plansOf({ mails }: SectionDeps, entryPoints: readonly string[] | null) {
  return mails.page({ entryPoints, states: MAIL_STATES, isPlan: true }, Number.MAX_SAFE_INTEGER, MOST_PLANS)
}

/** @param refused why the form is refused. The page keeps what was typed. */
async function show(deps: SectionDeps, { words, part, typed }: Visit, refused?: Sentence): Promise<Answer> {
  const name = part('entryPoint')
  const head = { title: words.say('mail.remindTitle', { entryPoint: name }), current: '/mails' }
  const { entryPoint, startSeconds } = eventAt(deps, name)
  if (entryPoint === undefined || readFeatureSettings(deps.env, MAIL_SETTINGS).settings.server === null)
    return page('message', { ...head, text: words.t.people.noMails, back: head.current }, 503)
  const before = startSeconds === null ? 0 : startSeconds - HOUR_SECONDS
  const seen = seenOf(deps, name)
  const model = {
    name,
    count: await countPeople(deps, entryPoint),
    beforeMs: before > deps.nowSeconds() ? before * 1000 : null,
    seen: refused?.text === 'mail.plannedMeanwhile' ? seen : typed('seen', seen),
    ...(refused && { notice: { tone: 'refused', ...refused } }),
  }
  return page('mail/remind', { ...head, ...model }, refused ? 409 : 200)
}

/** Changes with each plan: the same form again, or that of another manager, makes no second plan. */
function seenOf(deps: SectionDeps, name: string): string {
  const [last] = plansOf(deps, [name])
  // The id alone may come again: a plan replaces one that was stopped.
  return last === undefined ? '' : `${last.id}.${last.addedAtSeconds}`
}

async function plan(deps: SectionDeps, visit: Visit): Promise<Answer> {
  const entryPoint = visit.part('entryPoint')
  const time = wantedTime(deps, visit)
  if (!time.ok) return await show(deps, visit, time.fault)
  if (visit.field('seen') !== seenOf(deps, entryPoint))
    return await show(deps, visit, { text: 'mail.plannedMeanwhile' })
  const of = { kind: PLAN, entryPoint, language: '', manager: visit.manager.name, batch: -1 }
  deps.mails.add({ ...of, usernames: [time.value] })
  return redirect('/mails', { tone: 'done', text: 'mail.planned', values: { entryPoint } })
}

function wantedTime(deps: SectionDeps, { field, part, words }: Visit): Typed<string> {
  const now = Math.floor(deps.nowSeconds())
  const endSeconds = eventAt(deps, part('entryPoint')).startSeconds ?? Infinity
  if (endSeconds <= now) return { ok: false, fault: { text: 'faults.started' } }
  // A typed time counts, whatever is ticked.
  const when = field('at') === '' ? field('when') : 'at'
  if (when === BEFORE_START) return { ok: true, value: BEFORE_START }
  if (when === 'now') return { ok: true, value: String(now) }
  const typed = readField(field('at'), words, 'doors.noTime')
  if (!typed.ok) return typed
  const seconds = Date.parse(typed.value) / 1000
  if (seconds > now && seconds < endSeconds) return { ok: true, value: String(seconds) }
  return { ok: false, fault: { text: 'mail.wrongTime' } }
}

function stop({ store }: SectionDeps, { part, field }: Visit): Answer {
  const isStopped = store.mails.stop(Number(field('id')), { kind: REMINDER, entryPoint: part('entryPoint') })
  return redirect('/mails', { tone: isStopped ? 'done' : 'refused', text: isStopped ? 'mail.stopped' : 'mail.gone' })
}
