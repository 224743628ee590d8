import type { Router } from 'express'
import { hashPassword } from '../../../../users/passwords/argon2.ts'
import { type AccountDeps, addFormRoute, nextPath, showForm, type Visit } from '../account-form.ts'
import { redirect, wordsOf } from '../page.ts'
import { endSessionsOf } from './account-session.ts'
import { LEAST_PASSWORD_LENGTH } from './user-authentication.ts'

/** Adds the routes of `/account/forgot`. The service would send a link first, and the emulator sends no mail. */
export function addPasswordResetRoutes(router: Router, deps: AccountDeps): void {
  addFormRoute(router, '/account/forgot', deps, {
    show: (visit) => showForm(visit, 'forgot', { username: '' }),
    post: (visit) => savePassword(deps, visit),
  })
}

/** Sets the password, ends all sessions of the user, and signs the user in. */
async function savePassword({ database, sessions }: AccountDeps, visit: Visit): Promise<void> {
  const { req, res, request, fields } = visit
  const username = (fields.username ?? '').normalize('NFC')
  const { password = '' } = fields
  const words = wordsOf(req, request?.lang)
  const user = database.prepare('SELECT id FROM users WHERE username = ?').get(username)
  if (user === undefined || password.length < LEAST_PASSWORD_LENGTH) {
    const alert = user === undefined ? words.unknownUser : words.passwordFault
    const explanation = `Password not changed: ${user === undefined ? 'unknown user' : 'too short'}`
    return showForm(visit, 'forgot', { username }, { status: 400, alert, explanation })
  }
  const userId = Number(user.id)
  database.prepare('UPDATE users SET password_hash = ? WHERE id = ?').run(await hashPassword(password), userId)
  endSessionsOf(database, userId)
  sessions.signIn(req, res, userId)
  redirect(res, nextPath(request))
}
