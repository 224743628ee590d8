import { isMailAddress } from '../../../services/mail/settings.ts'
import { cleanName } from '../../../typed-text.ts'
import { argon2Passwords } from '../../../users/passwords/argon2.ts'
import { usernameKey } from '../../../users/viewer-fields.ts'
import { type Manager, ROLES } from '../../cli/manager/accounts/manager-store.ts'
import { type Answer, EDITORS, get, page, post, redirect, refused, type Visit } from '../../manager/door/route.ts'
import type { PagePart, SectionDeps } from '../../manager/section.ts'
import { createOwnCodeCheck } from '../../manager/sign-in/check-manager.ts'
import { joinRoutes } from './join-routes.ts'
import { mailLink } from './link-mail.ts'
import { isWithin, linksIn, newToken } from './link-rows.ts'

const PATH = '/colleagues'

/** Managers invite colleagues, and reset the login of a colleague, by a link in a mail. */
export const colleaguesPart: PagePart = {
  section: {
    open(deps) {
      const acts = colleagueActs(deps)
      return {
        tab: { path: PATH, text: 'colleagues', roles: EDITORS },
        routes: [
          get(PATH, EDITORS, acts.show),
          post(`${PATH}/invite`, EDITORS, 'colleague-invited', acts.invite),
          post(`${PATH}/withdraw`, EDITORS, 'invitation-withdrawn', acts.withdraw),
          post(`${PATH}/reset`, EDITORS, 'colleague-reset', acts.reset),
        ],
      }
    },
  },
  entry: joinRoutes,
}

const refuse = (text: string) => redirect(PATH, { tone: 'refused', text: `colleagues.${text}` })

/** Creates the acts on colleagues whose rights are within those of the manager. No answer tells of other colleagues. */
function colleagueActs(deps: SectionDeps) {
  const { store, nowSeconds } = deps
  const links = linksIn(store)
  const checkOwnCode = createOwnCodeCheck(deps)
  const mayReset = ({ name }: Manager, manager: Manager) =>
    isMailAddress(name) && usernameKey(name) !== usernameKey(manager.name)
  /** Sends a link, after the second step of the manager. */
  async function send(visit: Visit, colleague: Manager, kind: 'invite' | 'reset'): Promise<Answer> {
    const { name } = colleague
    const subject = { target: name }
    const text = await checkOwnCode(visit)
    if (text !== null) return redirect(PATH, { tone: 'refused', text }, subject)
    const token = newToken()
    const sent = await mailLink(deps, visit, colleague, token, kind)
    if (!sent.ok) return refused(PATH, `colleagues.${kind}NotSent`, sent, { subject })
    // After the mail: without one, a colleague keeps the login. No password has this hash.
    const newHash = kind === 'reset' ? argon2Passwords.dummyHash : undefined
    links.add(token, colleague, visit.manager.name, nowSeconds(), newHash)
    return redirect(PATH, { tone: 'done', text: `colleagues.${kind}Sent`, values: { name } }, subject)
  }
  return {
    show(visit: Visit): Answer {
      const { manager, words, scope } = visit
      const points = deps.entryPoints() ?? []
      const isSeen = (one: Manager) => isWithin(one, manager)
      return page('colleagues/colleagues', {
        title: words.t.colleagues.title,
        current: PATH,
        colleagues: store.list().filter(isSeen),
        mayReset: (one: Manager) => mayReset(one, manager),
        invited: links.invitations(nowSeconds()).filter(isSeen),
        roles: ROLES.filter((role) => isWithin({ ...manager, role }, manager)),
        points: points.flatMap(({ name }) => (scope.seesEntryPoint(name) ? name : [])),
      })
    },
    async invite(visit: Visit): Promise<Answer> {
      const { field, manager } = visit
      const name = cleanName(field('name'))
      if (!isMailAddress(name)) return refuse('noAddress')
      const role = ROLES.find((one) => one === field('role'))
      const chosen = field('entryPoint')
      const isKnown = chosen === '' || deps.entryPoints()?.some((one) => one.name === chosen) === true
      const colleague = role && { name, role, entryPoints: chosen === '' ? manager.entryPoints : [chosen] }
      if (!colleague || !isKnown || !isWithin(colleague, manager)) return refuse('wrong')
      const known = store.find(name)
      if (known !== null && isWithin(known, manager)) return refuse('exists')
      return await send(visit, colleague, 'invite')
    },
    withdraw({ field, manager }: Visit): Answer {
      const link = links.invitations(nowSeconds()).find(({ digest }) => digest === field('link'))
      if (!link || !isWithin(link, manager) || !links.withdraw(link.digest)) return refuse('gone')
      const { name } = link
      return redirect(PATH, { tone: 'done', text: 'colleagues.withdrawn', values: { name } }, { target: name })
    },
    async reset(visit: Visit): Promise<Answer> {
      const { field, manager } = visit
      const known = store.find(cleanName(field('colleague')))
      const isSeen = known !== null && isWithin(known, manager)
      return isSeen && mayReset(known, manager) ? await send(visit, known, 'reset') : refuse('unknown')
    },
  }
}
