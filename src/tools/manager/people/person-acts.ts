import { type Answer, type Notice, page, redirect, refused, type Visit } from '../door/route.ts'
import { pathOf } from '../pages/renderer.ts'
import { readEnd } from '../pages/typed-times.ts'
import type { SectionDeps } from '../section.ts'
import { endSessions, invite, type Result, unlock } from './account-acts.ts'
import { endField } from './end-field.ts'
import { playsOn } from './plays-on.ts'
import { attributesOf, groupsOf, versionOf } from './viewer-form.ts'

type Act = (visit: Visit) => Promise<Answer>

const nameIn = (visit: Visit) => visit.part('name')
const pageOf = (visit: Visit, ...act: string[]) => pathOf(['people', 'one', nameIn(visit), ...act])
const undoOf = (visit: Visit) => ({ undo: { action: pageOf(visit, 'enable'), fields: {} } })
const elsewhere = (visit: Visit) => redirect(pageOf(visit), { tone: 'refused', text: 'people.elsewhere' })
const changedMeanwhile = (visit: Visit) => redirect(pageOf(visit), { tone: 'refused', text: 'people.changedMeanwhile' })

function done(visit: Visit, text: string, more: Partial<Notice> = {}, to = pageOf(visit)): Answer {
  return redirect(to, { tone: 'done', ...more, text: `people.${text}`, values: { name: nameIn(visit) } })
}

function notDone(visit: Visit, fault: string, text = 'refused'): Answer {
  return refused(visit, pageOf(visit), `people.${text}`, fault, { values: { name: nameIn(visit) } })
}

function shown(visit: Visit, text: string, result: Result, more: Partial<Notice> = {}): Answer {
  return result.ok ? done(visit, text, more) : notDone(visit, result.fault)
}

/** The acts on the page of one viewer. */
export function personActs(deps: SectionDeps) {
  const { env } = deps
  const { editable } = deps.viewers
  return {
    ...removals(deps),
    edit: editAct(deps),
    disable: disableAct(deps, true),
    enable: disableAct(deps, false),
    async unlock(visit: Visit): Promise<Answer> {
      const unlocked = await unlock(env, { username: nameIn(visit) })
      return unlocked.ok ? done(visit, 'unlocked') : notDone(visit, unlocked.fault, 'notUnlocked')
    },
    invite: async (visit: Visit) =>
      editable === null ? elsewhere(visit) : shown(visit, 'invitedOne', await invite(deps, editable, nameIn(visit))),
    endSessions: async (visit: Visit) => shown(visit, 'sessionsEnded', await endSessions(env, nameIn(visit))),
  }
}

function disableAct(deps: SectionDeps, isDisabled: boolean): Act {
  const { editable } = deps.viewers
  return async (visit) => {
    if (editable === null) return elsewhere(visit)
    const changed = await editable.setDisabled(nameIn(visit), isDisabled)
    if (!isDisabled) return shown(visit, 'enabled', changed)
    return shown(visit, 'disabled', changed, { ...undoOf(visit), more: playsOn(deps, visit.words) })
  }
}

function editAct(deps: SectionDeps): Act {
  const { editable } = deps.viewers
  const ends = endField(deps)
  return async (visit) => {
    if (editable === null) return elsewhere(visit)
    const { field, scope, words } = visit
    const known = await editable.show(nameIn(visit))
    if (!known.ok) return notDone(visit, known.fault)
    const { username, groups: before, attributes: old } = known.viewer
    if (field('version') !== versionOf(known.viewer)) return changedMeanwhile(visit)
    const groups = groupsOf(visit)
    const typed = attributesOf(field('attributes'))
    if (typed === null) return notDone(visit, words.t.people.badAttributes)
    const until = field('until').trim()
    const typedEnd = readEnd(until || 'never', words)
    if (!typedEnd.ok) return notDone(visit, words.say(typedEnd.fault.text, typedEnd.fault.values))
    if (!scope.mayGive(groups, before)) {
      return notDone(visit, words.say('people.groupsRefused', { groups: (scope.groups ?? []).join(', ') }))
    }
    const isSameEnd = until === ends.textOf(old, words)
    const end = isSameEnd ? old[ends.attribute] : typedEnd.value?.text
    const attributes = ends.withEnd(typed, end, isSameEnd)
    const replaced = await editable.replace(known.viewer, { username, groups, attributes })
    if (!replaced.ok) return replaced.fault === 'changed' ? changedMeanwhile(visit) : notDone(visit, replaced.fault)
    return done(visit, 'edited')
  }
}

function removals(deps: SectionDeps) {
  const { env } = deps
  const { editable } = deps.viewers
  const noteIn = ({ words }: Visit) => ({ more: playsOn(deps, words) })
  async function putOut(visit: Visit): Promise<Answer> {
    if (editable === null) return elsewhere(visit)
    const changed = await editable.setDisabled(nameIn(visit), true)
    if (!changed.ok) return notDone(visit, changed.fault)
    const ended = await endSessions(env, nameIn(visit))
    return ended.ok
      ? done(visit, 'isOut', { ...undoOf(visit), ...noteIn(visit) })
      : notDone(visit, ended.fault, 'putOutPart')
  }
  /** Says what is lost before it is removed or forgotten. */
  async function askRemoval(visit: Visit): Promise<Answer> {
    if (editable === null) return elsewhere(visit)
    const known = await editable.show(nameIn(visit))
    if (!known.ok) return notDone(visit, known.fault)
    const { username } = known.viewer
    const title = visit.words.say('people.removeTitle', { name: username })
    return page('person-remove', { title, current: '/people', username, playsOn: playsOn(deps, visit.words) })
  }
  async function remove(visit: Visit): Promise<Answer> {
    if (editable === null) return elsewhere(visit)
    const removed = await editable.remove(nameIn(visit))
    return removed.ok ? done(visit, 'removed', noteIn(visit), '/people') : notDone(visit, removed.fault)
  }
  /** Privacy: the account, its sessions and its counts. Lines of logs go with the files of the logs. */
  async function forget(visit: Visit): Promise<Answer> {
    if (editable === null) return elsewhere(visit)
    const ended = await endSessions(env, nameIn(visit))
    const unlocked = await unlock(env, { username: nameIn(visit) })
    const removed = await editable.remove(nameIn(visit))
    if (!removed.ok) return notDone(visit, removed.fault)
    if (ended.ok && unlocked.ok) return done(visit, 'forgotten', noteIn(visit), '/people')
    // Such as counts in the memory of the login app.
    const left = [
      ...(ended.ok ? [] : [{ text: 'people.sessionsLeft' }]),
      ...(unlocked.ok ? [] : [{ text: 'people.failuresLeft' }]),
    ]
    return done(visit, 'forgottenPart', { tone: 'refused', more: [...left, ...playsOn(deps, visit.words)] }, '/people')
  }
  return { askRemoval, putOut, remove, forget }
}
