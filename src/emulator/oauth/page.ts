import { fileURLToPath } from 'node:url'
import type { Request, RequestHandler, Response } from 'express'
import { formText, readParameters } from '../http/form.ts'
import type { User } from './account/account-session.ts'
import { wordsFor } from './languages.ts'
import type { Words } from './words/words.ts'

export const STYLESHEET_PATH = '/account/pages.css'

export interface PageOptions {
  readonly status?: number
  /** Where the answer to a form of this page may lead. */
  readonly formActionSources?: readonly string[]
}

const view = (name: string) => fileURLToPath(new URL(`views/${name}.ejs`, import.meta.url))

/** What the user's pages share: never framed, never kept, nothing that runs. */
export function showPage(
  res: Response,
  name: string,
  words: Words,
  locals: Readonly<Record<string, unknown>>,
  { status = 200, formActionSources = ["'self'"] }: PageOptions = {},
): void {
  res.status(status).set({
    'Content-Security-Policy': [
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self'",
      `form-action ${formActionSources.join(' ')}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    'Content-Language': words.language,
  })
  res.render(view(name), { words, stylesheetPath: STYLESHEET_PATH, ...locals })
}

/** A page that says one thing. */
export function showMessage(
  res: Response,
  words: Words,
  message: { heading: string; text: string; detail?: string; link?: { href: string; text: string } },
  status: number,
): void {
  showPage(res, 'message', words, { detail: null, link: null, ...message }, { status })
}

/**
 * In the language of `lang`, else of the user, else of the browser.
 * @param lang as the client sent it.
 */
export function wordsOf(req: Request, lang: string | null | undefined, user: User | null = null): Words {
  return wordsFor([lang, user?.language, ...req.acceptsLanguages()])
}

/**
 * A form of ours is posted from our own page: the cookie alone does not prove that, since browsers attach it to posts
 * from other ports of the same host too. Programs that are no browsers send neither header.
 */
export function ownPostsOnly(publicUrl: string): RequestHandler {
  return (req, res, next) => {
    const site = req.headers['sec-fetch-site']
    const { origin } = req.headers
    const isOwn =
      req.method !== 'POST' ||
      (site === undefined ? origin === undefined || origin === publicUrl : site === 'same-origin' || site === 'none')
    if (isOwn) return next()
    res.locals.explanation = 'The form was posted from a page of another site'
    const words = wordsOf(req, null)
    return showMessage(res, words, { heading: words.refusedHeading, text: words.notFromOurPage }, 403)
  }
}

/** The fields of a posted form, or null after an answer was sent that says why not. */
export function formFields(req: Request, res: Response): Readonly<Record<string, string>> | null {
  const text = formText(req)
  const form = readParameters(text ?? '')
  if (text !== null && form.ok) return form.fields
  res.locals.explanation = form.ok ? 'The body is not a form' : `The request ${form.reason}`
  const words = wordsOf(req, null)
  const detail = String(res.locals.explanation)
  const status = text === null ? 415 : 400
  showMessage(res, words, { heading: words.refusedHeading, text: words.unreadable, detail }, status)
  return null
}

/** For `onlyMethods()`. */
export function showWrongMethod(req: Request, res: Response, description: string): void {
  res.locals.explanation = description
  const words = wordsOf(req, null)
  showMessage(res, words, { heading: words.refusedHeading, text: words.unreadable }, 405)
}

/** By hand, since Express would rewrite an address that the client wrote. */
export function redirect(res: Response, location: string): void {
  res.status(303).set({ Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }).end()
}
