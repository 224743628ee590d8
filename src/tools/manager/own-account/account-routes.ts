import { hashPassword } from '../../../users/passwords/argon2.ts'
import { faultInNewPassword } from '../../../users/passwords/new-password.ts'
import { ALL_ROLES, type Answer, get, page, post, type Route, redirect, type Visit } from '../door/route.ts'
import { type CheckDeps, createManagerCheck } from '../sign-in/check-manager.ts'
import type { OtherStep } from '../sign-in/other-step.ts'

/** The pages of a manager's own account, and the way to the first page. */
export function accountRoutes(deps: CheckDeps, steps: readonly OtherStep[]): Route[] {
  // Limits of its own, so that guesses in an open session do not lock the manager out of the sign-in.
  const check = createManagerCheck(deps)
  function show(visit: Visit, fault = '', status = 200): Answer {
    const title = visit.words.t.ownAccount.title
    return page('account', { title, fault, parts: steps.map((step) => step.own(visit)) }, status)
  }

  async function change(visit: Visit): Promise<Answer> {
    const { manager, words } = visit
    const password = visit.field('newPassword')
    const checked = await check.password(manager.name, visit.field('password'), 'own account')
    if (!checked.ok)
      return show(visit, words.say(checked.reason === 'limit' ? 'signIn.limit' : 'ownAccount.wrong'), 401)
    const fault = await faultInTyped(visit.field, manager.name)
    if (fault !== null) return show(visit, words.say(fault), 400)
    deps.store.setPassword(manager.name, await hashPassword(password))
    return redirect('/sign-in')
  }
  /** Chooses the event that all pages show, until the session ends. An unknown one means all. */
  function chooseEvent({ field, scope, sessionId }: Visit): Answer {
    const name = field('entryPoint')
    const isSeen = name !== '' && scope.seesEntryPoint(name)
    deps.store.setEvent(sessionId, isSeen ? name : null)
    const back = /^\/[a-z]+$/.test(field('back')) ? field('back') : '/'
    return redirect(back, undefined, isSeen ? { entryPoint: name } : {})
  }
  return [
    get('/', ALL_ROLES, () => redirect('/evening')),
    get('/account', ALL_ROLES, (visit) => show(visit)),
    post('/account', ALL_ROLES, 'password-changed', change),
    post('/event', ALL_ROLES, 'event-chosen', chooseEvent),
  ]
}

/** Returns the key of the sentence that refuses a new password, which a form has twice. Null if it can be chosen. */
export async function faultInTyped(field: (name: string) => string, manager: string): Promise<string | null> {
  const password = field('newPassword')
  if (password !== field('repeated')) return 'ownAccount.differs'
  return (await faultInNewPassword(password, manager, [])) === null ? null : 'ownAccount.weak'
}
