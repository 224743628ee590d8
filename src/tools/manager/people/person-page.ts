import { loggedEvents } from '../../cli/security-log/logged-events.ts'
import { outcomeOf } from '../../cli/terminal/command.ts'
import { showViewer } from '../../cli/viewers/show-command.ts'
import { type Answer, EDITORS, page, UNLOCKERS, type Visit } from '../door/route.ts'
import type { SectionDeps } from '../section.ts'
import { endField } from './end-field.ts'
import { nearNames } from './near-names.ts'
import { seenPart } from './person-acts.ts'
import { playsOn } from './plays-on.ts'
import { attributeLines, versionOf } from './viewer-form.ts'
import { answersFor } from './why.ts'

/** One viewer: facts, why the viewer cannot sign in, and what the manager can do. */
export function personPage(deps: SectionDeps) {
  const { env, viewerFacts, viewers, evening, entryPoints } = deps
  const ends = endField(deps)
  const waysIn = deps.parts.flatMap(({ wayIn }) => wayIn ?? [])
  return async (visit: Visit): Promise<Answer> => {
    const { words, scope, manager } = visit
    const name = visit.part('name')
    const shown = await outcomeOf(() =>
      showViewer(env, name, viewerFacts, new Map([[loggedEvents, evening.lastEvents]])),
    )
    const current = '/people'
    const nearby = () => (viewers.editable === null ? [] : nearNames(viewers.editable, name, scope))
    if (!shown.ok) {
      const model = {
        title: words.t.errors.title,
        current,
        text: words.say('people.unknown', { name }),
        back: '/people',
      }
      return page('message', { ...model, near: await nearby() }, 404)
    }
    const person = shown.data
    const own = entryPoints()?.filter((one) => scope.seesEntryPoint(one.name)) ?? null
    const stored = viewers.editable === null ? null : await viewers.editable.show(name)
    const viewer = stored?.ok ? stored.viewer : null
    const answers = await answersFor(person, own, waysIn, deps, words)
    const attributes = person.attributes ?? {}
    const endMs = ends.endMsOf(attributes)
    return page('person', {
      title: person.username,
      current,
      person: seenPart(person, scope.seesEntryPoint),
      answers,
      near: person.state === 'not-in-store' ? await nearby() : [],
      isEditable: viewer !== null && EDITORS.includes(manager.role),
      isOwnStore: viewers.editable !== null,
      mayUnlock: UNLOCKERS.includes(manager.role),
      maySendLink: viewer !== null && UNLOCKERS.includes(manager.role),
      version: viewer === null ? '' : versionOf(viewer),
      playsOn: playsOn(deps, words),
      attributeText: attributeLines(attributes, ends.attribute),
      hasEnd: ends.isThere,
      endAttribute: ends.attribute,
      until: ends.textOf(attributes, words),
      untilMs: endMs === 'unreadable' ? null : endMs,
    })
  }
}
