import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ejs from 'ejs'
import type { Request, Response } from 'express'
import { LRUCache } from 'lru-cache'
import type { Explanation, PolicyText } from '../access-decision.ts'
import type { PlayerContext } from '../request/player-context.ts'
import type { Headers } from './headers.ts'
import { errorText, fill, type Language, languageOf, type TextKey, type Texts, textsOf } from './languages.ts'

/** A refusal: the status, and the sentence for the viewer. */
export interface Refusal {
  readonly status: number
  readonly text: TextKey
  readonly values?: Readonly<Record<string, string | number>>
  readonly retryAfterSeconds?: number
}

export interface SignInState {
  readonly context: PlayerContext
  readonly refusal?: Refusal
  /** The typed user name, shown again. */
  readonly username?: string
  readonly signedInAs?: string
}

export interface MessageState {
  readonly title: keyof Texts['titles']
  readonly refusal: Refusal
  /** The link to the sign-in screen; absent for a screen without links. */
  readonly link?: { readonly context: PlayerContext; readonly text: 'otherAccount' | 'tryAgain' }
  /** Replaces the sentence of the refusal. */
  readonly explanation?: Explanation
  /** The id of the request, if the log has details. */
  readonly reference?: string
}

export interface Screens {
  sendSignIn(req: Request, res: Response, state: SignInState): void
  sendMessage(req: Request, res: Response, state: MessageState): void
}

export interface Views {
  readonly signIn: ejs.TemplateFunction
  readonly message: ejs.TemplateFunction
  readonly asset: (name: string) => string
}

/** Limited, because viewers can change the query, which is part of the key. */
const CACHED_SCREENS = 64
/** Placeholder for the typed name in a cached screen. */
const TYPED_NAME = '\ue000'

/** Compiles the templates once, so that a mistake in a template stops the start. */
export function openViews(viewsFolder: string, publicFolder: string): Views {
  const compile = (name: string) => {
    const filename = join(viewsFolder, name)
    return ejs.compile(readFileSync(filename, 'utf8'), { filename, cache: true })
  }
  const addresses = new Map<string, string>()
  const asset = (name: string) => {
    const known = addresses.get(name)
    if (known !== undefined) return known
    const digest = createHash('sha256').update(readFileSync(join(publicFolder, name)))
    const address = `/assets/${name}?v=${digest.digest('base64url').slice(0, 10)}`
    addresses.set(name, address)
    return address
  }
  return { signIn: compile('sign-in.ejs'), message: compile('message.ejs'), asset }
}

/** Creates the screens of one entry point, in every language, with the headers for their return address. */
export function createScreens(
  views: Views,
  basePath: string,
  headersFor: (returnOrigin: string | null) => Headers,
): Screens {
  const freshPages = new LRUCache<string, Buffer>({ max: CACHED_SCREENS })
  const refusedPages = new LRUCache<string, readonly string[]>({ max: CACHED_SCREENS })

  function signInHtml(language: Language, state: SignInState): string {
    return views.signIn(signInLocals(views.asset, basePath, language, state))
  }
  /** Returns the screen from a cache: it is the same for every viewer from the same player. */
  function freshPage(language: Language, context: PlayerContext): Buffer {
    const key = `${language} ${JSON.stringify(context.fields)}`
    return getOrCreate(freshPages, key, () => Buffer.from(signInHtml(language, { context })))
  }
  /** Returns a cached screen with the typed name: an overload refuses thousands of viewers with the same screen. */
  function refusedPage(language: Language, context: PlayerContext, refusal: Refusal, username: string): Buffer {
    const key = `${language} ${JSON.stringify([context.fields, refusal])}`
    const parts = getOrCreate(refusedPages, key, () =>
      signInHtml(language, { context, refusal, username: TYPED_NAME }).split(TYPED_NAME),
    )
    return Buffer.from(parts.join(ejs.escapeXML(username)))
  }
  function pageFor(language: Language, state: SignInState): Buffer {
    const { context, refusal, username, signedInAs } = state
    if (signedInAs !== undefined) return Buffer.from(signInHtml(language, state))
    if (refusal === undefined) return freshPage(language, context)
    return refusedPage(language, context, refusal, username ?? '')
  }
  function sendSignIn(req: Request, res: Response, state: SignInState): void {
    sendPage(res, headersFor(state.context.address.origin), pageFor(languageOf(req), state), state.refusal)
  }
  function sendMessage(
    req: Request,
    res: Response,
    { title, refusal, link, explanation, reference }: MessageState,
  ): void {
    const language = languageOf(req)
    const texts = textsOf(language)
    const query = link?.text === 'otherAccount' ? { ...link.context.fields, prompt: 'login' } : link?.context.fields
    const html = views.message({
      language,
      texts,
      basePath,
      asset: views.asset,
      title: texts.titles[title],
      alert: explanation ? textIn(language, explanation.text) : errorText(language, refusal.text, refusal.values),
      more: explanation?.link ? { href: explanation.link.href, label: textIn(language, explanation.link.text) } : null,
      reference: reference === undefined ? null : fill(texts.reference, { reference }),
      fields: link?.context.fields ?? {},
      actions: link === undefined ? null : { href: pathOf(basePath, query ?? {}), label: texts[link.text] },
    })
    sendPage(res, headersFor(link?.context.address.origin ?? null), Buffer.from(html), refusal)
  }
  return { sendSignIn, sendMessage }
}

/** Returns all values that the template of the sign-in screen uses. */
export function signInLocals(
  asset: Views['asset'],
  basePath: string,
  language: Language,
  {
    context: { fields },
    refusal,
    username = '',
    signedInAs,
  }: Omit<SignInState, 'context'> & { readonly context: Pick<PlayerContext, 'fields'> },
): ejs.Data {
  const texts = textsOf(language)
  return {
    language,
    texts,
    basePath,
    asset,
    fields,
    continueAddress: pathOf(basePath, fields),
    alert: refusal === undefined ? null : errorText(language, refusal.text, refusal.values),
    username,
    signedInAs: signedInAs === undefined ? null : fill(texts.signedInAs, { username: signedInAs }),
  }
}

function textIn(language: Language, text: PolicyText): string {
  return typeof text === 'string' ? text : (text[language] ?? text.en)
}

function getOrCreate<T extends object>(cache: LRUCache<string, T>, key: string, create: () => T): T {
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const created = create()
  cache.set(key, created)
  return created
}

/**
 * Redirects with 303, so that a GET follows a post (RFC 9110, 15.4.4).
 * @param location from passToPlayer() or returnWithoutResponse(), or a path of this app.
 */
export function sendRedirect(res: Response, headers: Headers, location: string): void {
  res.writeHead(303, { ...headers, Location: location, 'Content-Length': '0' }).end()
}

/** Returns the path of the entry point, with the fields as its query. */
export function pathOf(basePath: string, fields: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(fields).toString()
  return `${basePath === '' ? '/' : basePath}${query === '' ? '' : `?${query}`}`
}

function sendPage(res: Response, headers: Headers, page: Buffer, refusal?: Refusal): void {
  const { status = 200, retryAfterSeconds } = refusal ?? {}
  res.writeHead(status, {
    ...headers,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': page.length,
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': retryAfterSeconds }),
  })
  res.end(page)
}
