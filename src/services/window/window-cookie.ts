import type { Request, Response } from 'express'

/**
 * The cookie that ties a sign-in to the window in which it began. It is a first-party cookie, because the window is at
 * the top level. Each sign-in has its own, so that two players can sign in side by side.
 */

const MOST_COOKIES = 8
const NAME_CHARACTERS = 12

export type WindowCookies = ReturnType<typeof createWindowCookies>

/**
 * @param isTls true if PUBLIC_URL is https; otherwise it is a loopback address.
 * @param lifeSeconds of a sign-in.
 */
export function createWindowCookies(isTls: boolean, lifeSeconds: number) {
  const prefix = `${isTls ? '__Host-' : ''}sso-`
  const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'lax' } as const
  const nameOf = (digest: string) => `${prefix}${digest.slice(0, NAME_CHARACTERS)}`
  return {
    /** @param digest of the `state`. */
    set(req: Request, res: Response, digest: string, key: string): void {
      // Browsers send the oldest first.
      const names = cookiesOf(req).flatMap(([name]) => (name.startsWith(prefix) ? [name] : []))
      for (const name of names.slice(0, Math.max(0, names.length - MOST_COOKIES + 1))) res.clearCookie(name, attributes)
      res.cookie(nameOf(digest), key, { ...attributes, maxAge: lifeSeconds * 1000 })
    },
    /** Returns the key and removes the cookie. Null without the cookie. */
    take(req: Request, res: Response, digest: string): string | null {
      const name = nameOf(digest)
      const found = cookiesOf(req).find(([one]) => one === name)
      if (found === undefined) return null
      res.clearCookie(name, attributes)
      return found[1]
    },
  }
}

function cookiesOf({ headers }: Pick<Request, 'headers'>): [name: string, value: string][] {
  return (headers.cookie ?? '').split(/; */).map((pair) => {
    const end = pair.indexOf('=')
    return [pair.slice(0, end), pair.slice(end + 1)]
  })
}
