import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { ADA, type Answer, type LoginApp } from './start-login-app.ts'

/** Returns the only cookie that an answer sets, as a browser sends it back. */
export function cookieIn({ setCookies }: Answer): string {
  expect(setCookies).toHaveLength(1)
  return setCookies[0]?.split(';')[0] ?? ''
}

/** Returns the id of the session from a cookie, without its signature. */
export function idIn(cookie: string): string {
  return /=s:([^.]+)\./.exec(decodeURIComponent(cookie))?.[1] ?? expect.unreachable(`${cookie} does not hold a session`)
}

/** Signs in and returns the cookie. */
export async function signIn(app: LoginApp, form: Record<string, string> = ADA, cookie?: string): Promise<string> {
  const answer = await app.post('/sign-in', form, cookie === undefined ? {} : { Cookie: cookie })
  expect(answer.status).toBe(303)
  return cookieIn(answer)
}

export function rowsIn(file: string): { id: string; username: string }[] {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = database.prepare('SELECT id, username FROM sessions').all()
    return rows.map(({ id, username }) => ({ id: String(id), username: String(username) }))
  } finally {
    database.close()
  }
}

/** True if the player got a response. */
export function goesOn({ status, location }: Answer): boolean {
  return status === 303 && /[?&]hash=%/.test(location ?? '')
}

/** Expects the sign-in screen, without a response for the player. */
export function expectScreen(answer: Answer): void {
  expect(answer).toMatchObject({ status: 200, location: undefined })
  expect(answer.text).toContain('name="password"')
}
