import { ALL_ROLES, EDITORS, get, post, type Route, UNLOCKERS } from '../door/route.ts'
import type { Section, SectionDeps } from '../section.ts'
import { setLinkKinds } from './account-acts.ts'
import { addPages } from './add-person.ts'
import { listPages } from './list-people.ts'
import { inviteAgain, manyPages } from './many-people.ts'
import { personActs } from './person-acts.ts'
import { personPage } from './person-page.ts'
import { sheetRoutes } from './sheet/sheet-pages.ts'

/** The viewers: list, one person, changes. */
export const people: Section = {
  open(deps) {
    setLinkKinds(deps)
    return { tab: { path: '/people', text: 'people', roles: ALL_ROLES }, routes: routesOf(deps) }
  },
}

function routesOf(deps: SectionDeps): Route[] {
  const list = listPages(deps)
  const add = addPages(deps)
  const many = manyPages(deps)
  const acts = personActs(deps)
  const one = '/people/one/:name'
  return [
    get('/people', ALL_ROLES, list.show),
    get('/people/find', ALL_ROLES, list.find),
    get('/people/add', EDITORS, add.show),
    post('/people/add', EDITORS, 'viewer-added', add.add),
    get('/people/many', EDITORS, many.ask),
    post('/people/many', EDITORS, 'viewers-changed', many.change),
    post('/people/invite', EDITORS, 'viewers-invited-again', inviteAgain(deps)),
    ...sheetRoutes(deps),
    get(one, ALL_ROLES, personPage(deps)),
    post(`${one}/export`, ALL_ROLES, 'viewer-exported', acts.exportAll),
    post(`${one}/edit`, EDITORS, 'viewer-edited', acts.edit),
    post(`${one}/rename`, EDITORS, 'viewer-renamed', acts.rename),
    post(`${one}/disable`, EDITORS, 'viewer-disabled', acts.disable),
    post(`${one}/enable`, EDITORS, 'viewer-enabled', acts.enable),
    post(`${one}/send-link`, UNLOCKERS, 'link-sent', acts.sendLink),
    post(`${one}/end-sessions`, EDITORS, 'sessions-ended', acts.endSessions),
    post(`${one}/put-out`, EDITORS, 'viewer-put-out', acts.putOut),
    get(`${one}/remove`, EDITORS, acts.askRemoval),
    post(`${one}/remove`, EDITORS, 'viewer-removed', acts.remove),
    post(`${one}/forget`, EDITORS, 'viewer-forgotten', acts.forget),
    post(`${one}/unlock`, UNLOCKERS, 'viewer-unlocked', acts.unlock),
  ]
}
