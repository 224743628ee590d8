import { loggedEvents } from '../../cli/security-log/logged-events.ts'
import { outcomeOf } from '../../cli/terminal/command.ts'
import { showViewer } from '../../cli/viewers/show-command.ts'
import { type Answer, EDITORS, page, UNLOCKERS, type Visit } from '../door/route.ts'
import type { SectionDeps } from '../section.ts'
import { endField } from './end-field.ts'
import { nearNames } from './near-names.ts'
import { hindrancesOf, otherWaysOf } from './other-ways.ts'
import { seenPart } from './person-acts.ts'
import { playsOn } from './plays-on.ts'
import { attributeLines, versionOf } from './viewer-form.ts'
import { otherEntryPoints, reasonsFor } from './why.ts'

const MOST_SESSIONS = 20

/** One viewer: facts, why the viewer cannot sign in, and what the manager can do. */
export function personPage(deps: SectionDeps) {
  const { env, viewerFacts, viewers, evening, entryPoints, events, nowSeconds } = deps
  const ends = endField(deps)
  const waysIn = deps.parts.flatMap(({ wayIn }) => wayIn ?? [])
  return async (visit: Visit): Promise<Answer> => {
    const { words, scope, manager } = visit
    const name = visit.part('name')
    const shown = await outcomeOf(() =>
      showViewer(env, name, viewerFacts, new Map([[loggedEvents, evening.lastEvents]])),
    )
    const current = '/people'
    if (!shown.ok) {
      const title = words.t.errors.title
      return page('message', { title, current, text: words.say('people.unknown', { name }), back: '/people' }, 404)
    }
    const person = shown.data
    const own = entryPoints()?.filter((one) => scope.seesEntryPoint(one.name)) ?? null
    const stored = viewers.editable === null ? null : await viewers.editable.show(name)
    const viewer = stored?.ok ? stored.viewer : null
    const otherWays = await otherWaysOf(person, own, waysIn, deps)
    const hindrances = hindrancesOf(person, own, waysIn, words)
    const hasPassword = person.state === 'active' && own?.some((one) => one.hasPasswordForm) !== false
    const isOpen = hasPassword || otherWays.length > 0
    const reasons = reasonsFor(person, own, { events, nowSeconds: nowSeconds() }, otherWays, isOpen ? [] : hindrances)
    const attributes = person.attributes ?? {}
    const isEditor = EDITORS.includes(manager.role)
    const endMs = ends.endMsOf(attributes)
    const isUnknown = viewers.editable !== null && person.state === 'not-in-store'
    return page('person', {
      title: person.username,
      current,
      person: seenPart(person, scope.seesEntryPoint),
      reasons,
      near: isUnknown ? await nearNames(viewers.editable, name, scope) : [],
      ways: hasPassword ? [] : otherWays,
      hasPassword,
      notes: [...otherEntryPoints(person, own), ...(isOpen ? hindrances : [])],
      isEditor,
      isEditable: viewer !== null && isEditor,
      isOwnStore: viewers.editable !== null,
      mayUnlock: UNLOCKERS.includes(manager.role),
      maySendLink: viewer !== null && UNLOCKERS.includes(manager.role),
      version: viewer === null ? '' : versionOf(viewer),
      playsOn: playsOn(deps, words),
      attributeText: attributeLines(attributes, ends.attribute),
      sessions: (person.sessions ?? []).slice(0, MOST_SESSIONS),
      sessionCount: person.sessions?.length ?? 0,
      hasEnd: ends.isThere,
      endAttribute: ends.attribute,
      until: ends.textOf(attributes, words),
      untilMs: endMs === 'unreadable' ? null : endMs,
      isDisabled: person.state === 'disabled',
      hasNoPassword: ['invited', 'invitation-expired', 'no-password'].includes(person.state),
    })
  }
}
