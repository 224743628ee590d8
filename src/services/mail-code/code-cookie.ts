import type { Request, Response } from 'express'
import type { AppParts } from '../../login/service.ts'
import { createSeal } from '../pass/seal.ts'
import { CODE_SECONDS, type CodeBinding } from './code.ts'

/**
 * The form for a code, in a partitioned cookie. A phone may discard the page while the viewer reads the mail: the entry
 * point then opens the form again. A browser that keeps no cookie begins with the address.
 */
export type CodeCookie = ReturnType<typeof createCodeCookie>

const ATTRIBUTES = { path: '/', httpOnly: true, secure: true, sameSite: 'none', partitioned: true } as const

/** Creates the cookie of a feature. The features of one entry point share it: the last form counts. */
export function createCodeCookie(
  { publicUrl, sessionSettings }: Pick<AppParts, 'publicUrl' | 'sessionSettings'>,
  feature: string,
  entryPoint: string,
) {
  const name = `${publicUrl.protocol === 'https:' ? '__Host-' : ''}code-${entryPoint}`
  const seal = createSeal(sessionSettings.secrets, `viewer-auth code form 1 ${publicUrl.origin}`)
  const binding = `${feature} ${entryPoint}`
  const valueIn = ({ headers }: Pick<Request, 'headers'>) =>
    headers.cookie
      ?.split(/; */)
      .find((pair) => pair.startsWith(`${name}=`))
      ?.slice(name.length + 1)
  return {
    keep(res: Response, { secret, address }: CodeBinding): void {
      const value = seal.seal(JSON.stringify({ secret, address }), binding)
      res.cookie(name, value, { ...ATTRIBUTES, maxAge: CODE_SECONDS * 1000 })
    },
    /** Null without the form of this feature. */
    read(req: Pick<Request, 'headers'>): CodeBinding | null {
      const text = seal.open(valueIn(req) ?? '', binding)
      return text === null ? null : JSON.parse(text)
    },
    /** Called after the code was used. */
    clear(req: Pick<Request, 'headers'>, res: Response): void {
      if (valueIn(req) !== undefined) res.clearCookie(name, ATTRIBUTES)
    },
  }
}
