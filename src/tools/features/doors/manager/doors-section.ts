import { titleIn } from '../../../../brand/brand.ts'
import { doorState } from '../../../../features/doors/doors.ts'
import type { DoorSettings } from '../../../../features/doors/fields.ts'
import type { EventWindow } from '../../../../settings/event-window.ts'
import { parseTime } from '../../../../settings/times.ts'
import { localIso } from '../../../cli/output/time-zone.ts'
import { outcomeOf, type Refused } from '../../../cli/terminal/command.ts'
import type { Confirm } from '../../../cli/terminal/confirm.ts'
import {
  ALL_ROLES,
  type Answer,
  EDITORS,
  get,
  type Notice,
  page,
  post,
  redirect,
  type Sentence,
  sentenceOf,
  type Visit,
} from '../../../manager/door/route.ts'
import { pathOf } from '../../../manager/pages/renderer.ts'
import { fieldText, isSameField, readField, type Typed } from '../../../manager/pages/typed-times.ts'
import type { Words } from '../../../manager/pages/words.ts'
import type { Section, SectionDeps } from '../../../manager/section.ts'
import {
  changedWindow,
  currentWindow,
  type DoorChange,
  type MovableDoors,
  type MovedDoors,
  movableDoors,
  moveDoors,
} from '../move-doors.ts'
import { messageRoutes } from './door-message.ts'

const PATH = '/doors'
const MINUTES = [5, 15, 30, 60] as const
const ENDS = ['opensAtSeconds', 'closesAtSeconds'] as const

/** The doors of each entry point: open now, move the start, close, a message to those who wait. */
export const doorsSection: Section = {
  open(deps) {
    const acts = doorActs(deps)
    return {
      tab: { path: PATH, text: 'doors', roles: ALL_ROLES },
      routes: [
        get(PATH, ALL_ROLES, (visit) => show(deps, visit)),
        post(`${PATH}/:entryPoint/open`, EDITORS, 'doors-opened', acts.open),
        post(`${PATH}/:entryPoint/close`, EDITORS, 'doors-closed', acts.close),
        post(`${PATH}/:entryPoint/move`, EDITORS, 'doors-moved', acts.move),
        post(`${PATH}/:entryPoint/set`, EDITORS, 'doors-set', acts.set),
        ...messageRoutes(deps),
      ],
    }
  },
}

/** @param refused the reason why a form is refused. The page keeps what was typed. */
function show(
  { entryPoints, nowSeconds }: SectionDeps,
  visit: Visit,
  refused?: Sentence & Pick<Notice, 'notes'>,
): Answer {
  const { scope, words } = visit
  const now = nowSeconds()
  const seen = entryPoints()?.filter(({ name }) => scope.showsEntryPoint(name)) ?? []
  const doors = seen.map(({ name, features, brand }) => {
    const settings = features.doors as DoorSettings | undefined
    const windows = settings?.windows ?? []
    const current = currentWindow(windows, now)
    return {
      name,
      state: doorState(windows, now).name,
      windows,
      hasDoors: settings !== undefined,
      opensAtMs: msOf(current?.opensAtSeconds),
      closesAtMs: msOf(current?.closesAtSeconds),
      // Times of the environment are read at the start only.
      isMovable: settings !== undefined && settings.file !== null,
      seen: seenOf(current),
      message: titleIn(settings?.message ?? null, words.language, brand),
      seenMessage: JSON.stringify(settings?.message ?? null),
      path: (act: string) => pathOf(['doors', name, act]),
    }
  })
  const model = {
    doors,
    minutes: MINUTES,
    inputTime: (ms: number | null) => fieldText(ms, words),
    ...(refused && { notice: { tone: 'refused', ...refused } }),
  }
  return page('doors', { title: words.t.doors.title, current: PATH, ...model }, refused ? 409 : 200)
}

function doorActs(deps: SectionDeps) {
  const now = () => Math.floor(deps.nowSeconds())
  const at = (times: DoorChange) => ({ ok: true, value: times }) as const
  return {
    open: (visit: Visit) => change(deps, visit, () => at({ opensAtSeconds: now() })),
    close: (visit: Visit) => change(deps, visit, () => at({ closesAtSeconds: now() })),
    move: (visit: Visit) => change(deps, visit, (current) => shiftedTimes(visit, current)),
    set: (visit: Visit) => change(deps, visit, (current) => typedTimes(visit, current)),
  }
}

type Changed = { readonly ok: true; readonly answer: Answer } | Refused
type TimesFor = (current: EventWindow | undefined) => Typed<DoorChange>

/** Changes the times that the page showed. Asks before open doors close, and refuses a form of earlier times. */
async function change(deps: SectionDeps, visit: Visit, timesFor: TimesFor): Promise<Answer> {
  const { env } = deps
  const { words } = visit
  const nowSeconds = deps.nowSeconds()
  const name = visit.part('entryPoint')
  let isAsked = false
  const confirm: Confirm = () => {
    isAsked = visit.field('agreed') !== 'on'
    return Promise.resolve(isAsked ? { ok: false, fault: '' } : { ok: true })
  }
  const result = await outcomeOf(async (): Promise<Changed> => {
    const found = movableDoors(env, name, nowSeconds)
    if (!found.ok) return found
    const { current } = found.data
    if (visit.field('seen') !== seenOf(current)) {
      const values = { entryPoint: name, ...shownTimes(current, words) }
      return { ok: true, answer: show(deps, visit, { text: 'doors.changedMeanwhile', values }) }
    }
    const times = timesFor(current)
    if (!times.ok) return { ok: true, answer: show(deps, visit, times.fault) }
    const wanted = changedWindow(current, times.value)
    const { opensAtSeconds: opens, closesAtSeconds: closes } = wanted
    if (opens !== null && closes !== null && closes <= opens) {
      const values = shownTimes(wanted, words)
      return { ok: true, answer: show(deps, visit, { text: 'doors.endBeforeStart', values }) }
    }
    const moved = await moveDoors(env, found.data, times.value, confirm, nowSeconds)
    if (isAsked) return { ok: true, answer: await ask(deps, visit, wanted) }
    return moved.ok ? { ok: true, answer: done(visit, found.data, moved.data, nowSeconds) } : moved
  })
  if (result.ok) return result.answer
  return show(deps, visit, { text: 'doors.refused', values: { entryPoint: name }, notes: [sentenceOf(result)] })
}

/** Says whom it concerns before open doors close. The form comes again with the agreement. */
async function ask({ evening, nowSeconds }: SectionDeps, visit: Visit, wanted: EventWindow): Promise<Answer> {
  const { words, field, part } = visit
  const name = part('entryPoint')
  const { waiting, viewers, sinceMs, logMissing } = await evening.read([name])
  const isLater = (wanted.opensAtSeconds ?? 0) > nowSeconds()
  const model = {
    title: words.say('doors.askTitle', { entryPoint: name }),
    current: PATH,
    text: words.say(isLater ? 'doors.askLater' : 'doors.askOver', { entryPoint: name, ...shownTimes(wanted, words) }),
    people: logMissing === null ? { waiting, viewers, since: words.time(sinceMs) } : null,
    fields: ['seen', 'opens', 'closes', 'minutes', 'both'].map((one) => [one, field(one)]),
  }
  return page('doors-ask', model, 409)
}

/** Says the new times, with a button that puts the times of before back. A time that was missing cannot be put back. */
function done({ words }: Visit, before: MovableDoors, { name, doors }: MovedDoors, nowSeconds: number): Answer {
  const windows = doors?.windows ?? []
  const old = before.current
  const after = windows[(old && before.doors?.windows.indexOf(old)) ?? 0]
  const state = words.t.doors.states[doorState(windows, nowSeconds).name]
  const values = { entryPoint: name, state, ...shownTimes(after, words) }
  const isUndoable =
    currentWindow(windows, nowSeconds) === after &&
    ENDS.every((end) => old?.[end] != null || old?.[end] === after?.[end])
  const [opens, closes] = ENDS.map((end) => (old?.[end] == null ? '' : localIso(old[end] * 1000, 'UTC')))
  const undo = {
    action: pathOf(['doors', name, 'set']),
    fields: { opens: opens ?? '', closes: closes ?? '', seen: seenOf(after) },
  }
  return redirect(PATH, { tone: 'done', text: 'doors.moved', values, ...(isUndoable && { undo }) } satisfies Notice)
}

function shiftedTimes({ field }: Visit, current: EventWindow | undefined): Typed<DoorChange> {
  const minutes = Number(field('minutes'))
  const { opensAtSeconds: opens = null, closesAtSeconds: closes = null } = current ?? {}
  const isKnown = MINUTES.some((one) => one === Math.abs(minutes))
  if (opens === null || !isKnown) return { ok: false, fault: { text: 'doors.noTime' } }
  const by = (seconds: number) => Math.floor(seconds + minutes * 60)
  const end = closes !== null && field('both') === 'on' ? { closesAtSeconds: by(closes) } : {}
  return { ok: true, value: { opensAtSeconds: by(opens), ...end } }
}

function typedTimes({ field, words }: Visit, current: EventWindow | undefined): Typed<DoorChange> {
  const times: { opensAtSeconds?: number; closesAtSeconds?: number } = {}
  for (const end of ENDS) {
    const text = field(end.replace('AtSeconds', ''))
    if (text === '') continue
    const before = current?.[end] ?? null
    // A time that the manager did not change may have seconds, or be in an hour that comes twice.
    const exact = before !== null && isSameField(text, before * 1000, words) ? before : parseTime(text)?.seconds
    if (exact !== undefined) {
      times[end] = Math.floor(exact)
      continue
    }
    const typed = readField(text, words, 'doors.noTime')
    if (!typed.ok) return typed
    times[end] = Date.parse(typed.value) / 1000
  }
  return Object.keys(times).length === 0 ? { ok: false, fault: { text: 'doors.noTime' } } : { ok: true, value: times }
}

/** The times that a page showed, as its forms say. */
function seenOf(window: EventWindow | undefined): string {
  return `${window?.opensAtSeconds ?? ''}/${window?.closesAtSeconds ?? ''}`
}

function shownTimes(window: EventWindow | undefined, { t, time }: Words) {
  const { opensAtSeconds: opens = null, closesAtSeconds: closes = null } = window ?? {}
  return {
    opens: opens === null ? t.doors.anytime : time(opens * 1000),
    closes: closes === null ? t.doors.never : time(closes * 1000),
  }
}

function msOf(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : seconds * 1000
}
