import { type DoorWindow, doorState } from '../../../../features/doors/doors.ts'
import type { DoorSettings } from '../../../../features/doors/fields.ts'
import { outcomeOf } from '../../../cli/terminal/command.ts'
import { isConfirmed } from '../../../cli/terminal/confirm.ts'
import {
  ALL_ROLES,
  type Answer,
  EDITORS,
  get,
  page,
  post,
  redirect,
  refused,
  type Visit,
} from '../../../manager/door/route.ts'
import { pathOf } from '../../../manager/pages/renderer.ts'
import { fieldText, readField } from '../../../manager/pages/typed-times.ts'
import type { Section, SectionDeps } from '../../../manager/section.ts'
import { currentWindow, movableDoors, moveDoors, type NewTimes } from '../move-doors.ts'

const PATH = '/doors'
const MINUTES = [5, 15, 30, 60] as const

/** The doors of each entry point: open now, move the start, close. */
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
      ],
    }
  },
}

function show({ entryPoints, nowSeconds }: SectionDeps, { scope, words, manager }: Visit): Answer {
  const now = nowSeconds()
  const seen = entryPoints()?.filter(({ name }) => scope.seesEntryPoint(name)) ?? []
  const doors = seen.map(({ name, features }) => {
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
      path: (act: string) => pathOf(['doors', name, act]),
    }
  })
  const model = {
    doors,
    minutes: MINUTES,
    isEditor: EDITORS.includes(manager.role),
    inputTime: (ms: number | null) => fieldText(ms, words.zone),
  }
  return page('doors', { title: words.t.doors.title, current: PATH, ...model })
}

function doorActs({ env, entryPoints, nowSeconds }: SectionDeps) {
  async function moveTo(visit: Visit, text: string, times: NewTimes): Promise<Answer> {
    const name = visit.part('entryPoint')
    const result = await outcomeOf(async () => {
      const found = movableDoors(env, name, nowSeconds())
      return found.ok ? await moveDoors(env, found.data, times, isConfirmed, nowSeconds()) : found
    })
    if (result.ok) return redirect(PATH, { tone: 'done', text: `doors.${text}`, values: { name } })
    return refused(visit, PATH, 'doors.refused', result.fault, { values: { name } })
  }
  function windowOf(visit: Visit): DoorWindow | undefined {
    const found = entryPoints()?.find(({ name }) => name === visit.part('entryPoint'))
    return currentWindow((found?.features.doors as DoorSettings | undefined)?.windows ?? [], nowSeconds())
  }
  function moveStart(visit: Visit): Promise<Answer> | Answer {
    const minutes = Number(visit.field('minutes'))
    const opens = windowOf(visit)?.opensAtSeconds ?? null
    // The start that the page showed: two managers who press at once move it by fifteen minutes, not by thirty.
    const isShown = visit.field('opensAt') === String(opens)
    const isKnown = MINUTES.some((one) => one === Math.abs(minutes))
    if (opens === null || !isKnown || !isShown)
      return redirect(PATH, { tone: 'refused', text: 'doors.changedMeanwhile' })
    const end = windowOf(visit)?.closesAtSeconds ?? null
    const movesEnd = end !== null && visit.field('both') === 'on'
    const closes = movesEnd ? { closesAtSeconds: Math.floor(end + minutes * 60) } : {}
    return moveTo(visit, 'moved', { opensAtSeconds: Math.floor(opens + minutes * 60), ...closes })
  }
  function set(visit: Visit): Promise<Answer> | Answer {
    const { field, words } = visit
    const current = windowOf(visit)
    const times: { opensAtSeconds?: number; closesAtSeconds?: number } = {}
    for (const [name, end] of [
      ['opens', 'opensAtSeconds'],
      ['closes', 'closesAtSeconds'],
    ] as const) {
      const text = field(name)
      if (text === '') continue
      const before = current?.[end] ?? null
      // A time that the manager did not change may have seconds, or be in an hour that comes twice.
      if (before !== null && text === fieldText(before * 1000, words.zone)) {
        times[end] = Math.floor(before)
        continue
      }
      const typed = readField(text, words, 'doors.noTime')
      if (!typed.ok) return redirect(PATH, { tone: 'refused', ...typed.fault })
      times[end] = Date.parse(typed.value) / 1000
    }
    if (Object.keys(times).length === 0) return redirect(PATH, { tone: 'refused', text: 'doors.noTime' })
    return moveTo(visit, 'moved', times)
  }
  const now = () => Math.floor(nowSeconds())
  return {
    open: (visit: Visit) => moveTo(visit, 'opened', { opensAtSeconds: now() }),
    close: (visit: Visit) => moveTo(visit, 'closed', { closesAtSeconds: now() }),
    move: moveStart,
    set,
  }
}

function msOf(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : seconds * 1000
}
