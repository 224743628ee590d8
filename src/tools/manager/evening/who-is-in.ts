import { cleanName } from '../../../typed-text.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { ViewerState } from '../../../users/user-store.ts'
import { usernameKey } from '../../../users/viewer-fields.ts'
import type { EventCounts } from '../../cli/manager/evening/event-counts.ts'
import { EVENING_MS } from '../../cli/manager/evening/figures.ts'
import { type Answer, page, type Visit } from '../door/route.ts'
import type { SectionDeps } from '../section.ts'

const LONGEST_TEXT = 255
const ROWS = 50
const BATCH = 500
/** A page reads so many batches of the store, and the next page goes on. */
const MOST_BATCHES = 20

type ViewersIn = Pick<EventCounts, 'whoIsIn' | 'areIn'>

/** Shows who is in, by name, or who of the people with a password or an invitation is missing. */
export async function showWhoIsIn({ evening, viewers, nowSeconds }: SectionDeps, visit: Visit): Promise<Answer> {
  const { field, scope, words } = visit
  const text = cleanName(field('text')).slice(0, LONGEST_TEXT)
  const fromMs = nowSeconds() * 1000 - EVENING_MS
  const known = await evening.viewersIn()
  const store = viewers.editable
  const isMissing = field('show') === 'missing' && store !== null
  const rows = isMissing ? [] : (known?.whoIsIn(scope.shown, fromMs, usernameKey(text), ROWS) ?? [])
  const missing = isMissing && known !== null ? await missingFrom(store, known, visit, text, fromMs) : null
  const title = words.t.whoIsIn[isMissing ? 'missing' : 'title']
  const model = { title, current: '/evening', text, isMissing, rows, missing, fromMs, hasLog: known !== null }
  return page('who-is-in', { ...model, hasStore: store !== null })
}

async function missingFrom(store: EditableUserStore, known: ViewersIn, visit: Visit, text: string, fromMs: number) {
  const { scope, field } = visit
  const filter = { text, group: '', state: 'all', oneOf: scope.shownGroups } as const
  const names: string[] = []
  let after = field('after').slice(0, LONGEST_TEXT)
  for (let batch = 0; batch < MOST_BATCHES && names.length < ROWS; batch += 1) {
    const found = await store.page(filter, after, BATCH)
    const keys = found.map(({ viewer }) => usernameKey(viewer.username))
    const areIn = new Set(known.areIn(scope.shown, fromMs, keys))
    names.push(
      ...found.filter((one, index) => isInvited(one) && !areIn.has(keys[index])).map((one) => one.viewer.username),
    )
    after = keys.at(-1) ?? ''
    if (found.length < BATCH) return { names, next: null }
  }
  return { names, next: after }
}

function isInvited({ viewer, hasPassword, invitation }: ViewerState): boolean {
  return !viewer.disabled && (hasPassword || invitation?.isSent === true)
}
