import { cleanText } from '../../../typed-text.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { ViewerFilter } from '../../../users/manager/viewer-pages.ts'
import { usernameKey } from '../../../users/viewer-fields.ts'
import { type Answer, type Notice, page, redirect, type Visit } from '../door/route.ts'
import { pathOf } from '../pages/renderer.ts'
import type { SectionDeps } from '../section.ts'
import { invitationRules } from './account-acts.ts'
import { filterOf, queryOf } from './list-people.ts'
import { playsOn } from './plays-on.ts'

const CHANGES = {
  disable: (store: EditableUserStore, name: string) => store.setDisabled(name, true),
  enable: (store: EditableUserStore, name: string) => store.setDisabled(name, false),
  remove: (store: EditableUserStore, name: string) => store.remove(name),
}
const WORKS = ['disable', 'enable', 'remove', 'invite'] as const
type Work = (typeof WORKS)[number]
/** A second round skips the mails of this time. */
const NEW_SECONDS = 43_200
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
    const names = isAll ? await namesIn(editable, filterOf(visit)) : await seenNames(editable, visit)
    const to = listOf(visit)
    if (names.length > MOST || names.length !== agreed) {
      return redirect(to, { text: 'people.many.changed', tone: 'refused' }, { count: names.length })
    }
    if (work === 'invite') return await inviteMany(deps, visit, names, to)
    let count = 0
    for (const name of names) if ((await CHANGES[work](editable, name)).ok) count += 1
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
  return async (visit: Visit): Promise<Answer> => {
    const { field, scope } = visit
    const group = cleanText(field('group'))
    const own = scope.groups
    if (own !== null && group !== '' && !own.includes(group)) {
      return redirect('/people', { text: 'people.groupsRefused', tone: 'refused', values: { groups: own.join(', ') } })
    }
    const { editable } = deps.viewers
    const names =
      editable === null
        ? []
        : await namesIn(editable, { text: '', group, state: 'no-password', oneOf: scope.shownGroups })
    return await inviteMany(deps, visit, names, '/people', true)
  }
}

/**
 * Queues invitations for viewers without a password, and says how many are sent.
 * @param isAgain only those with an invitation that is not new.
 */
async function inviteMany(
  deps: SectionDeps,
  visit: Visit,
  names: readonly string[],
  to: string,
  isAgain = false,
): Promise<Answer> {
  const { editable } = deps.viewers
  const rules = await invitationRules(deps, visit)
  if (editable === null || rules === null) return redirect(to, { text: 'people.noMails', tone: 'refused' })
  const chosen: string[] = []
  for (const name of names) {
    const known = await editable.inspect(name)
    if (known === null || known.hasPassword || known.viewer.disabled || rules.faultIn(known.viewer) !== null) continue
    const isNew = rules.wasInvitedSince(known, deps.nowSeconds() - NEW_SECONDS)
    if (!isAgain || (known.invitation !== null && !isNew)) chosen.push(known.viewer.username)
  }
  if (chosen.length > 0) rules.queue(chosen)
  const skipped = names.length - chosen.length
  const notes = skipped === 0 ? [] : [{ text: 'people.inviteSkipped', values: { count: skipped } }]
  const values = { count: chosen.length }
  return redirect(to, { text: 'sheet.invitedCount', tone: 'done', values, notes }, values)
}

function workOf({ field }: Visit): Work | null {
  return WORKS.find((one) => one === field('work')) ?? null
}

/** Returns the address of the list with the filter of the form. */
function listOf(visit: Visit): string {
  return pathOf(['people'], queryOf(filterOf(visit)))
}

async function namesIn(store: EditableUserStore, filter: ViewerFilter): Promise<string[]> {
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
