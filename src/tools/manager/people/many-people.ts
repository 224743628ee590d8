import { cleanText } from '../../../typed-text.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import { usernameKey } from '../../../users/viewer-fields.ts'
import { type Answer, detailOf, type Notice, page, redirect, refused, type Visit } from '../door/route.ts'
import { pathOf } from '../pages/renderer.ts'
import type { SectionDeps } from '../section.ts'
import { inviteGroupAgain } from './account-acts.ts'
import { filterOf, queryOf } from './list-people.ts'
import { playsOn } from './plays-on.ts'

const WORKS = {
  disable: (store: EditableUserStore, name: string) => store.setDisabled(name, true),
  enable: (store: EditableUserStore, name: string) => store.setDisabled(name, false),
  remove: (store: EditableUserStore, name: string) => store.remove(name),
}
type Work = keyof typeof WORKS
const BATCH = 500
/** More viewers are a task for an engineer with a file. */
const MOST = 20_000

/** Changes many viewers at once: the ticked viewers, or all that match the filter. */
export function manyPages(deps: SectionDeps) {
  const { viewers } = deps
  /** Shows how many viewers the change is for, before anything happens. */
  async function ask(visit: Visit): Promise<Answer> {
    const { words, field } = visit
    const work = workOf(visit)
    if (viewers.editable === null || work === null) return redirect('/people')
    const names = visit.fields('name')
    const filter = filterOf(visit)
    const isAll = field('all') === 'on'
    const count = isAll ? await viewers.editable.count(filter) : names.length
    if (count === 0) return redirect(listOf(visit), { text: 'people.nobodyChosen', tone: 'refused' })
    const model = {
      work,
      names: isAll ? [] : names,
      isAll,
      count,
      filter,
      query: queryOf(filter),
      isTooMany: count > MOST,
    }
    return page('people-many', { title: words.say(`people.many.${work}Title`), current: '/people', ...model })
  }
  async function change(visit: Visit): Promise<Answer> {
    const { editable } = viewers
    const work = workOf(visit)
    if (editable === null || work === null) return redirect('/people')
    const isAll = visit.field('all') === 'on'
    // The manager has agreed to the number on the page, and to no larger one.
    const agreed = Number(visit.field('count'))
    const names = isAll ? await namesIn(editable, visit) : await seenNames(editable, visit)
    const to = listOf(visit)
    if (names.length > MOST || names.length !== agreed) {
      return redirect(to, { text: 'people.many.changed', tone: 'refused' }, { count: names.length })
    }
    let count = 0
    for (const name of names) if ((await WORKS[work](editable, name)).ok) count += 1
    const [name = ''] = names
    const isOne = !isAll && count === 1 && names.length === 1
    const undo = { action: pathOf(['people', 'one', name, 'enable']), fields: {} }
    const notice: Notice = {
      tone: 'done',
      text: `people.many.${work}Done`,
      values: { count },
      notes: work === 'enable' ? [] : playsOn(deps, visit.words),
      ...(work === 'disable' && isOne && { undo }),
    }
    return redirect(to, notice, { count, detail: work })
  }
  return { ask, change }
}

/** Invites everyone again who has no password yet. A manager of some groups invites only their members. */
export function inviteAgain(deps: SectionDeps) {
  const { editable } = deps.viewers
  return async (visit: Visit): Promise<Answer> => {
    const { field, scope } = visit
    const group = cleanText(field('group'))
    if (editable === null) return redirect('/people')
    const own = scope.groups
    if (own !== null && group !== '' && !own.includes(group)) {
      return redirect('/people', { text: 'people.groupsRefused', tone: 'refused', values: { groups: own.join(', ') } })
    }
    const groups = group === '' ? (own ?? [null]) : [group]
    const sum = { count: 0, skipped: 0 }
    let detail: string | undefined
    for (const one of groups) {
      const result = await inviteGroupAgain(deps, editable, one)
      if (!result.ok) {
        return refused(visit, '/people', 'people.invitedNone', result.fault, { subject: { count: sum.count } })
      }
      const { invited, skipped, faults } = result.data
      sum.count += invited.length
      sum.skipped += skipped
      const [fault] = faults
      if (fault !== undefined) detail ??= detailOf(fault)
    }
    const notice = { text: 'people.invitedAgain', tone: 'done', values: sum, ...(detail && { detail }) } as const
    return redirect('/people', notice, { count: sum.count })
  }
}

function workOf({ field }: Visit): Work | null {
  const work = field('work')
  return Object.hasOwn(WORKS, work) ? (work as Work) : null
}

/** Returns the address of the list with the filter of the form. */
function listOf(visit: Visit): string {
  return pathOf(['people'], queryOf(filterOf(visit)))
}

async function namesIn(store: EditableUserStore, visit: Visit): Promise<string[]> {
  const filter = filterOf(visit)
  const names: string[] = []
  for (let after = ''; names.length <= MOST; ) {
    const found = await store.page(filter, after, BATCH)
    names.push(...found.map(({ viewer }) => viewer.username))
    const last = found.at(-1)
    if (found.length < BATCH || last === undefined) break
    after = usernameKey(last.viewer.username)
  }
  return names
}

/** Leaves out names that the manager may not see, whatever the form says. */
async function seenNames(store: EditableUserStore, { fields, scope }: Visit): Promise<string[]> {
  const seen: string[] = []
  for (const name of new Set(fields('name'))) {
    const known = await store.show(name)
    if (known.ok && scope.seesViewer(known.viewer)) seen.push(known.viewer.username)
  }
  return seen
}
