import { expect } from 'vitest'
import type { Answer, LoginApp } from '../../login/start-login-app.ts'

/** The headers of a post of our own page. */
export const OWN_PAGE = { Origin: 'https://login.example', 'Sec-Fetch-Site': 'same-origin' }

/** Expects the screen that says that the viewer watches elsewhere. */
export function expectOther(answer: Answer): void {
  const reason = /<meta name="reason" content="([^"]*)"/.exec(answer.text)?.[1]
  expect([answer.status, answer.location, reason]).toEqual([403, undefined, 'other-screen'])
  expect(answer.text).not.toContain('hash=')
}

/** Comes back from the player with a session. */
export function returnOf(app: LoginApp, Cookie: string, path = '/'): Promise<Answer> {
  return app.get(path, { Cookie })
}
