import { ALL_ROLES, EDITORS, type Route, UNLOCKERS } from '../door/route.ts'
import type { Section, SectionDeps } from '../section.ts'
import { addPages } from './add-person.ts'
import { listPages } from './list-people.ts'
import { inviteAgain, manyPages } from './many-people.ts'
import { personActs } from './person-acts.ts'
import { personPage } from './person-page.ts'
import { sheetRoutes } from './sheet/sheet-pages.ts'

/** The viewers: list, one person, changes. */
export const people: Section = {
  open: (deps) => ({ tab: { path: '/people', text: 'people', roles: ALL_ROLES }, routes: routesOf(deps) }),
}

function routesOf(deps: SectionDeps): Route[] {
  const list = listPages(deps)
  const add = addPages(deps)
  const many = manyPages(deps)
  const acts = personActs(deps)
  const all = { roles: ALL_ROLES, subject: 'nothing' } as const
  const editors = { roles: EDITORS, subject: 'nothing' } as const
  const edit = { method: 'post', roles: EDITORS, subject: 'viewer' } as const
  const unlock = { method: 'post', roles: UNLOCKERS, subject: 'viewer' } as const
  const one = '/people/one/:name'
  return [
    { method: 'get', path: '/people', ...all, handle: list.show },
    { method: 'get', path: '/people/find', ...all, handle: list.find },
    { method: 'get', path: '/people/add', ...editors, handle: add.show },
    { method: 'post', path: '/people/add', ...editors, act: 'viewer-added', handle: add.add },
    { method: 'get', path: '/people/many', ...editors, handle: many.ask },
    { method: 'post', path: '/people/many', ...editors, act: 'viewers-changed', handle: many.change },
    { method: 'post', path: '/people/invite', ...editors, act: 'viewers-invited-again', handle: inviteAgain(deps) },
    ...sheetRoutes(deps),
    { method: 'get', path: one, roles: ALL_ROLES, subject: 'viewer', handle: personPage(deps) },
    { ...edit, path: `${one}/edit`, act: 'viewer-edited', handle: acts.edit },
    { ...edit, path: `${one}/disable`, act: 'viewer-disabled', handle: acts.disable },
    { ...edit, path: `${one}/enable`, act: 'viewer-enabled', handle: acts.enable },
    { ...edit, path: `${one}/invite`, act: 'viewer-invited', handle: acts.invite },
    { ...edit, path: `${one}/end-sessions`, act: 'sessions-ended', handle: acts.endSessions },
    { ...edit, path: `${one}/put-out`, act: 'viewer-put-out', handle: acts.putOut },
    { method: 'get', path: `${one}/remove`, roles: EDITORS, subject: 'viewer', handle: acts.askRemoval },
    { ...edit, path: `${one}/remove`, act: 'viewer-removed', handle: acts.remove },
    { ...edit, path: `${one}/forget`, act: 'viewer-forgotten', handle: acts.forget },
    { ...unlock, path: `${one}/unlock`, act: 'viewer-unlocked', handle: acts.unlock },
  ]
}
