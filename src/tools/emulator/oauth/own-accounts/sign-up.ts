import type { Router } from 'express'
import { hashPassword } from '../../../../users/passwords/argon2.ts'
import { type AccountDeps, addFormRoute, nextPath, type Refusal, showForm, type Visit } from '../account-form.ts'
import { redirect, wordsOf } from '../page.ts'
import { isLocale } from '../words.ts'
import { LEAST_PASSWORD_LENGTH } from './user-authentication.ts'

const MAX_NAME_LENGTH = 64

/** Adds the routes of `/account/sign-up`. */
export function addSignUpRoutes(router: Router, deps: AccountDeps): void {
  addFormRoute(router, '/account/sign-up', deps, {
    show: (visit) => showForm(visit, 'sign-up', { username: '' }),
    post: (visit) => signUp(deps, visit),
  })
}

async function signUp(deps: AccountDeps, visit: Visit): Promise<void> {
  const { req, res, request, fields } = visit
  const username = (fields.username ?? '').normalize('NFC')
  const created = await createUser(deps, visit, username)
  if (typeof created !== 'number') return showForm(visit, 'sign-up', { username }, created)
  deps.sessions.signIn(req, res, created)
  redirect(res, nextPath(request))
}

/** Creates the user. @returns the id of the user, or why there is none. */
async function createUser(
  { database, nowSeconds }: AccountDeps,
  { req, request, fields }: Visit,
  username: string,
): Promise<number | Refusal> {
  const words = wordsOf(req, request?.lang)
  const { password = '' } = fields
  const refused = (status: number, alert: string, reason: string) => {
    return { status, alert, explanation: `No account created: ${reason}` }
  }
  const length = [...username].length
  if (length < 1 || length > MAX_NAME_LENGTH || username.trim() !== username || /[\p{C}\p{Zl}\p{Zp}]/u.test(username)) {
    return refused(400, words.usernameFault, 'the name cannot be used')
  }
  if (password.length < LEAST_PASSWORD_LENGTH) return refused(400, words.passwordFault, 'the password is too short')
  const language = request?.lang != null && isLocale(request.lang) ? request.lang : words.language
  const { changes, lastInsertRowid } = database
    .prepare('INSERT OR IGNORE INTO users (username, password_hash, language, created_at_seconds) VALUES (?, ?, ?, ?)')
    .run(username, await hashPassword(password), language, nowSeconds())
  return changes === 1 ? Number(lastInsertRowid) : refused(409, words.usernameTaken, 'the name is taken')
}
