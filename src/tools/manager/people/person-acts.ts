import type { Coded } from '../../../errors.ts'
import { cleanName } from '../../../typed-text.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import { faultInUsername } from '../../../users/viewer-fields.ts'
import { outcomeOf } from '../../cli/terminal/command.ts'
import { forgetPerson } from '../../cli/viewers/forget/forget-person.ts'
import { knownOf, personFile } from '../../cli/viewers/person/person-export.ts'
import { type Answer, type Notice, page, redirect, refused, sentenceOf, type Visit } from '../door/route.ts'
import { pathOf } from '../pages/renderer.ts'
import type { SectionDeps } from '../section.ts'
import { endSessions, invitationRules, type Result, sendLink, unlock } from './account-acts.ts'
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

function notDone(visit: Visit, fault: Coded, text = 'refused'): Answer {
  return refused(pageOf(visit), `people.${text}`, fault, { values: { name: nameIn(visit) } })
}

function shown(visit: Visit, text: string, result: Result, besides: Partial<Notice> = {}, to?: string): Answer {
  return result.ok ? done(visit, text, besides, to) : notDone(visit, result)
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
    rename: inStore(renameAct(deps)),
    forget: forgetAct(deps),
    enable: inStore(async (visit, store, name) => shown(visit, 'enabled', await store.setDisabled(name, false))),
    disable: inStore(async (visit, store, name) =>
      shown(visit, 'disabled', await store.setDisabled(name, true), { ...undoOf(visit), ...noteIn(visit) }),
    ),
    putOut: inStore(async (visit, store, name) => {
      const changed = await store.setDisabled(name, true)
      if (!changed.ok) return notDone(visit, changed)
      const ended = await endSessions(env, name)
      if (!ended.ok) return notDone(visit, ended, 'putOutPart')
      return done(visit, 'isOut', { ...undoOf(visit), ...noteIn(visit) })
    }),
    /** Says what is lost before it is removed or forgotten. */
    async askRemoval(visit: Visit): Promise<Answer> {
      const username = nameIn(visit)
      const hasAccount = (await viewers.editable?.show(username))?.ok === true
      const title = visit.words.say('people.removeTitle', { name: username })
      const model = { title, current: '/people', username, hasAccount, playsOn: playsOn(deps, visit.words) }
      return page('person-remove', model)
    },
    remove: inStore(async (visit, store, name) =>
      shown(visit, 'removed', await store.remove(name), noteIn(visit), '/people'),
    ),
    sendLink: inStore(async (visit, store, name) => {
      const sent = await sendLink(deps, visit, store, name)
      return shown(visit, sent.ok && sent.isWaiting ? 'linkWaits' : 'linkSent', sent)
    }),
    /** A manager of some entry points gets the records of these. */
    async exportAll(visit: Visit): Promise<Answer> {
      const { seesEntryPoint, entryPoints } = visit.scope
      const known = await outcomeOf(() => knownOf(env, deps.viewerFacts, nameIn(visit)))
      if (!known.ok) return notDone(visit, known)
      // A manager of some entry points sees no acts of others.
      const log = known.data.log.filter(({ event }) => entryPoints === null || event !== 'manager')
      const all = { ...known.data, mails: deps.store.mails.of(known.data.username), log }
      const content = personFile(seenPart(all, seesEntryPoint))
      return { kind: 'file', name: 'person.json', type: 'application/json', content }
    },
    endSessions: async (visit: Visit) => shown(visit, 'sessionsEnded', await endSessions(env, nameIn(visit))),
    async unlock(visit: Visit): Promise<Answer> {
      const unlocked = await unlock(env, { username: nameIn(visit) })
      return unlocked.ok ? done(visit, 'unlocked') : notDone(visit, unlocked, 'notUnlocked')
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
    if (!known.ok) return notDone(visit, known)
    const { username, groups: before, attributes: old } = known.viewer
    if (field('version') !== versionOf(known.viewer)) return refusal(visit, 'changedMeanwhile')
    const typed = typedAccount(visit, username, before)
    if (!typed.ok) return redirect(pageOf(visit), { tone: 'refused', text: 'people.refused', notes: [typed.fault] })
    const isSameEnd = field('until').trim() === ends.textOf(old, words)
    const end = isSameEnd ? old[ends.attribute] : typed.end?.text
    const attributes = ends.withEnd(typed.attributes, end, isSameEnd)
    const replaced = await store.replace(known.viewer, { username, groups: typed.groups, attributes })
    if (!replaced.ok && replaced.fault === 'changed') return refusal(visit, 'changedMeanwhile')
    return shown(visit, 'edited', replaced)
  }
}

/** Gives a person another user name, such as a mail address without a typing error. The page says what does not follow. */
function renameAct(deps: SectionDeps): ActInStore {
  return async (visit, store, name) => {
    const username = cleanName(visit.field('newName'))
    const known = await store.show(name)
    if (!known.ok) return notDone(visit, known)
    const invites = visit.field('invite') === 'on'
    const rules = invites ? await invitationRules(deps, visit) : null
    const isBad = username === '' || faultInUsername(username) !== null
    if (isBad || rules?.faultIn({ ...known.viewer, username })) {
      const notes = [{ text: isBad ? 'sheet.faults.badName' : 'sheet.faults.notInvited' }]
      return redirect(pageOf(visit), { tone: 'refused', text: 'people.refused', notes })
    }
    const renamed = await store.rename(name, username)
    if (!renamed.ok) return notDone(visit, renamed)
    deps.mails.forget(name)
    const ended = await endSessions(deps.env, name)
    const sent = invites ? await sendLink(deps, visit, store, username) : null
    const notes = [
      ...(ended.ok ? [] : [{ text: 'people.notForgotten.sessions' }]),
      ...(sent ? [sent.ok ? { text: 'people.linkSent', values: { name: username } } : sentenceOf(sent)] : []),
      { text: 'people.notRenamed', values: { name } },
    ]
    const undo = { action: pathOf(['people', 'one', username, 'rename']), fields: { newName: name } }
    const notice: Notice = { tone: 'done', text: 'people.renamed', values: { name, newName: username }, notes, undo }
    return redirect(pathOf(['people', 'one', username]), notice, { viewer: name, detail: username })
  }
}

/** Privacy: all that the stores have. Lines of logs go with the files of the logs. */
function forgetAct(deps: SectionDeps): Act {
  const { editable } = deps.viewers
  return async (visit) => {
    const { words, scope } = visit
    const who = { store: editable, sees: scope.seesEntryPoint }
    deps.mails.forget(nameIn(visit))
    const { deleted, faults } = await forgetPerson(deps.env, deps.viewerFacts, nameIn(visit), who)
    if (faults.account !== undefined) return notDone(visit, { code: 'away' })
    const failed = Object.keys(faults)
    const notes = [
      ...failed.map((part) => ({ text: `people.notForgotten.${part}` })),
      ...Object.entries(deleted).flatMap(([part, count]) => {
        return count > 0
          ? { text: 'people.forgot', values: { part: words.say(`people.parts.${part}`, { count }), count } }
          : []
      }),
      ...(editable === null ? [{ text: 'people.elsewhereOne' }] : []),
      ...(scope.entryPoints === null ? [] : [{ text: 'people.otherEntryPointsLeft' }]),
      ...playsOn(deps, words),
    ]
    if (failed.length === 0) return done(visit, 'forgotten', { notes }, '/people')
    return done(visit, 'forgottenPart', { tone: 'refused', notes }, '/people')
  }
}
