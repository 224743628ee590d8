import { ADA } from './login-program.ts'

/** The answer to one request to a login program. */
export type Visit = Awaited<ReturnType<typeof visit>>

export interface Copy {
  readonly port: number
}

/** Posts the sign-in form of a program that listens on 127.0.0.1. */
export function signInAt({ port }: Copy, form: { username: string; password: string } = ADA): Promise<Visit> {
  return visit(`http://127.0.0.1:${port}/sign-in`, { method: 'POST', body: new URLSearchParams(form) })
}

/** Opens the start page again, as a signed-in viewer. */
export function returnTo({ port }: Copy, cookie: string): Promise<Visit> {
  return visit(`http://127.0.0.1:${port}/`, { headers: { Cookie: cookie } })
}

export function signOutAt({ port }: Copy, cookie: string): Promise<Visit> {
  return visit(`http://127.0.0.1:${port}/sign-out`, { method: 'POST', headers: { Cookie: cookie } })
}

/** Returns the status and the word of the readiness check. */
export async function readinessOf({ port }: Copy): Promise<[status: number, word: string]> {
  const response = await fetch(`http://127.0.0.1:${port}/health/ready`)
  const { status } = (await response.json()) as { status: string }
  return [response.status, status]
}

/** True if a visit ended at the player with a response. */
export function isPassedOn({ status, location }: Visit): boolean {
  return (
    status === 303 && (location ?? '').startsWith('https://player.example/') && (location ?? '').includes('hash=%5B')
  )
}

async function visit(url: string, init: RequestInit) {
  const startedMs = performance.now()
  const response = await fetch(url, { ...init, redirect: 'manual' })
  await response.arrayBuffer()
  return {
    status: response.status,
    cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? null,
    location: response.headers.get('location'),
    tookMs: performance.now() - startedMs,
  }
}
