import { createHmac, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import type { SessionData } from 'express-session'
import type { MakeRequest } from './load.ts'
import { getRequest } from './requests.ts'

export interface ListedSession {
  readonly id: string
  readonly data: SessionData
}

const LIFETIME_MS = 28_800_000

/** Makes a session in the form of express-session, for a viewer who signed in now. */
export function newSession(username: string, nowSeconds: number): ListedSession {
  const cookie = {
    originalMaxAge: LIFETIME_MS,
    expires: new Date(nowSeconds * 1000 + LIFETIME_MS).toISOString(),
    secure: true,
    httpOnly: true,
    path: '/',
    sameSite: 'none',
    partitioned: true,
  }
  const data = { cookie, viewer: { username, signedInAtSeconds: Math.floor(nowSeconds) } }
  return { id: randomBytes(24).toString('base64url'), data: data as unknown as SessionData }
}

/** Returns the cookie value of a session, signed as express-session does. */
function cookieValue({ id }: ListedSession, secret: string): string {
  const signature = createHmac('sha256', secret).update(id).digest('base64').replace(/=+$/, '')
  return encodeURIComponent(`s:${id}.${signature}`)
}

export function writeSessionList(file: string, sessions: readonly ListedSession[]): void {
  writeFileSync(file, JSON.stringify(sessions))
}

export function readSessionList(file: string): ListedSession[] {
  return JSON.parse(readFileSync(file, 'utf8')) as ListedSession[]
}

/** Makes requests of returning viewers, each with another session. @throws RangeError when no session is left. */
export function returning(
  cookieName: string,
  sessions: readonly ListedSession[],
  secret: string,
  path = '/',
): MakeRequest {
  return (index) => {
    const session = sessions[index]
    if (session === undefined) throw new RangeError(`There is no session ${index}`)
    return getRequest(index, `${cookieName}=${cookieValue(session, secret)}`, path)
  }
}
