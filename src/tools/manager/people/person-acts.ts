import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import { outcomeOf } from '../../cli/terminal/command.ts'
import { knownOf, personFile } from '../../cli/viewers/person-export.ts'
import { type Answer, type Notice, page, redirect, refused, type Visit } from '../door/route.ts'
import { pathOf } from '../pages/renderer.ts'
import type { SectionDeps } from '../section.ts'
import { endSessions, invite, type Result, unlock } from './account-acts.ts'
import { endField } from './end-field.ts'
import { playsOn } from './plays-on.ts'
import { typedAccount, versionOf } from './viewer-form.ts'

type Act = (visit: Visit) => Promise<Answer>
type ActInStore = (visit: Visit, store: EditableUserStore, name: string) => Promise<Answer>

const nameIn = (visit: Visit) => visit.part('name')
const pageOf = (visit: Visit, ...act: string[]) => pathOf(['people', 'one', nameIn(visit), ...act])
const undoOf = (visit: Visit) => ({ undo: { action: pageOf(visit, 'enable'), fields: {} } })
const refusal = (visit: Visit, text: string) => redirect(pageOf(visit), { tone: 'refused', text: `people.${text}` })

function done(visit: Visit, text: string, besides: Partial<Notice> = {}, to = pageOf(visit)): Answer {
  return redirect(to, { tone: 'done', ...besides, text: `people.${text}`, values: { name: nameIn(visit) } })
}

function notDone(visit: Visit, fault: string, text = 'refused'): Answer {
  return refused(visit, pageOf(visit), `people.${text}`, fault, { values: { name: nameIn(visit) } })
}

function shown(visit: Visit, text: string, result: Result, besides: Partial<Notice> = {}, to?: string): Answer {
  return result.ok ? done(visit, text, besides, to) : notDone(visit, result.fault)
}

/** The acts on the page of one viewer. */
export function personActs(deps: SectionDeps) {
  const { env, viewers } = deps
  const inStore =
    (act: ActInStore): Act =>
    async (visit) =>
      viewers.editable === null ? refusal(visit, 'elsewhere') : await act(visit, viewers.editable, nameIn(visit))
  const noteIn = ({ words }: Visit) => ({ notes: playsOn(deps, words) })
  return {
    edit: inStore(editAct(deps)),
    forget: inStore(forgetAct(deps)),
    enable: inStore(async (visit, store, name) => shown(visit, 'enabled', await store.setDisabled(name, false))),
    disable: inStore(async (visit, store, name) =>
      shown(visit, 'disabled', await store.setDisabled(name, true), { ...undoOf(visit), ...noteIn(visit) }),
    ),
    putOut: inStore(async (visit, store, name) => {
      const changed = await store.setDisabled(name, true)
      if (!changed.ok) return notDone(visit, changed.fault)
      const ended = await endSessions(env, name)
      if (!ended.ok) return notDone(visit, ended.fault, 'putOutPart')
      return done(visit, 'isOut', { ...undoOf(visit), ...noteIn(visit) })
    }),
    /** Says what is lost before it is removed or forgotten. */
    askRemoval: inStore(async (visit, store, name) => {
      const known = await store.show(name)
      if (!known.ok) return notDone(visit, known.fault)
      const { username } = known.viewer
      const title = visit.words.say('people.removeTitle', { name: username })
      return page('person-remove', { title, current: '/people', username, playsOn: playsOn(deps, visit.words) })
    }),
    remove: inStore(async (visit, store, name) =>
      shown(visit, 'removed', await store.remove(name), noteIn(visit), '/people'),
    ),
    invite: inStore(async (visit, store, name) => shown(visit, 'invitedOne', await invite(deps, store, name))),
    /** A manager of some entry points gets the records of these. */
    async exportAll(visit: Visit): Promise<Answer> {
      const { seesEntryPoint, entryPoints } = visit.scope
      const known = await outcomeOf(() => knownOf(env, deps.viewerFacts, nameIn(visit)))
      if (!known.ok) return notDone(visit, known.fault)
      // A manager of some entry points sees no acts of others.
      const log = known.data.log.filter(({ event }) => entryPoints === null || event !== 'manager')
      const content = personFile(seenPart({ ...known.data, log }, seesEntryPoint))
      return { kind: 'file', name: 'person.json', type: 'application/json', content }
    },
    endSessions: async (visit: Visit) => shown(visit, 'sessionsEnded', await endSessions(env, nameIn(visit))),
    async unlock(visit: Visit): Promise<Answer> {
      const unlocked = await unlock(env, { username: nameIn(visit) })
      return unlocked.ok ? done(visit, 'unlocked') : notDone(visit, unlocked.fault, 'notUnlocked')
    },
  }
}

/** Leaves out what belongs to an entry point that the manager may not see. */
export function seenPart(known: object, seesEntryPoint: (name: string) => boolean): object {
  const isSeen = (one: { readonly entryPoint?: unknown } | null) =>
    typeof one?.entryPoint !== 'string' || seesEntryPoint(one.entryPoint)
  const fields = Object.entries(known).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.filter(isSeen) : value,
  ])
  return Object.fromEntries(fields.filter(([, value]) => isSeen(value)))
}

function editAct(deps: SectionDeps): ActInStore {
  const ends = endField(deps)
  return async (visit, store, name) => {
    const { field, words } = visit
    const known = await store.show(name)
    if (!known.ok) return notDone(visit, known.fault)
    const { username, groups: before, attributes: old } = known.viewer
    if (field('version') !== versionOf(known.viewer)) return refusal(visit, 'changedMeanwhile')
    const typed = typedAccount(visit, before)
    if (!typed.ok) return notDone(visit, typed.fault)
    const isSameEnd = field('until').trim() === ends.textOf(old, words)
    const end = isSameEnd ? old[ends.attribute] : typed.end?.text
    const attributes = ends.withEnd(typed.attributes, end, isSameEnd)
    const replaced = await store.replace(known.viewer, { username, groups: typed.groups, attributes })
    if (!replaced.ok && replaced.fault === 'changed') return refusal(visit, 'changedMeanwhile')
    return shown(visit, 'edited', replaced)
  }
}

/** Privacy: the account, its sessions and its counts. Lines of logs go with the files of the logs. */
function forgetAct(deps: SectionDeps): ActInStore {
  return async (visit, store, name) => {
    const ended = await endSessions(deps.env, name)
    const unlocked = await unlock(deps.env, { username: name })
    const removed = await store.remove(name)
    if (!removed.ok) return notDone(visit, removed.fault)
    const notes = playsOn(deps, visit.words)
    if (ended.ok && unlocked.ok) return done(visit, 'forgotten', { notes }, '/people')
    // Such as counts in the memory of the login app.
    const left = [
      ...(ended.ok ? [] : [{ text: 'people.sessionsLeft' }]),
      ...(unlocked.ok ? [] : [{ text: 'people.failuresLeft' }]),
    ]
    return done(visit, 'forgottenPart', { tone: 'refused', notes: [...left, ...notes] }, '/people')
  }
}
