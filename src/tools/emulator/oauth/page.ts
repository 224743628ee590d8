import { fileURLToPath } from 'node:url'
import type { Request, RequestHandler, Response } from 'express'
import { isFromOwnPage } from '../../../server/same-origin.ts'
import { formText, readParameters } from '../http/form.ts'
import type { User } from './own-accounts/account-session.ts'
import { type Words, wordsFor } from './words.ts'

export const STYLESHEET_PATH = '/account/pages.css'

const view = (name: string) => fileURLToPath(new URL(`./views/${name}.ejs`, import.meta.url))

/** Shows a page of the user's account. No frame may hold it, and no cache may store it. */
export function showPage(
  res: Response,
  name: string,
  words: Words,
  locals: Readonly<Record<string, unknown>>,
  status = 200,
): void {
  res.status(status).set({ 'Cache-Control': 'no-store', 'Content-Language': words.language })
  res.render(view(name), { words, stylesheetPath: STYLESHEET_PATH, ...locals })
}

type Refusal = 'broken' | 'foreignAddress' | 'notFromOurPage' | 'unknownClient' | 'unreadable'

/** Shows a page with the reason of a refusal. @param lang as sent by the client. */
export function showRefusal(
  req: Request,
  res: Response,
  status: number,
  refusal: Refusal,
  { detail = null, lang = null }: { readonly detail?: string | null; readonly lang?: string | null } = {},
): void {
  const words = wordsOf(req, lang)
  const heading = refusal === 'broken' ? words.brokenHeading : words.refusedHeading
  showPage(res, 'message', words, { heading, text: words[refusal], detail }, status)
}

/**
 * Chooses the language: `lang`, else the user's, else the browser's.
 * @param lang as sent by the client.
 */
export function wordsOf(req: Request, lang: string | null | undefined, user: User | null = null): Words {
  return wordsFor([lang, user?.language, ...req.acceptsLanguages()])
}

/**
 * Refuses forms that a page of another site posts, with 403. The cookie alone is not a proof: browsers also send it with
 * posts from other ports of the same host.
 */
export function ownPostsOnly(publicUrl: string): RequestHandler {
  return (req, res, next) => {
    if (req.method !== 'POST' || isFromOwnPage(req.headers, publicUrl)) return next()
    res.locals.explanation = 'The form was posted from a page of another site'
    return showRefusal(req, res, 403, 'notFromOurPage')
  }
}

/** Reads the fields of a posted form; returns null if it sent an error page. */
export function formFields(req: Request, res: Response): Readonly<Record<string, string>> | null {
  const text = formText(req)
  const form = readParameters(text ?? '')
  if (text !== null && form.ok) return form.fields
  res.locals.explanation = form.ok ? 'The body is not a form' : `The request ${form.reason}`
  showRefusal(req, res, text === null ? 415 : 400, 'unreadable', { detail: res.locals.explanation })
  return null
}

/** Shows the page of a 405. */
export function showWrongMethod(req: Request, res: Response, description: string): void {
  res.locals.explanation = description
  showRefusal(req, res, 405, 'unreadable')
}

/** Redirects without `res.redirect()`, which would rewrite the client's address. */
export function redirect(res: Response, location: string): void {
  res.status(303).set({ Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }).end()
}
