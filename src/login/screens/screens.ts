import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ejs from 'ejs'
import type { Request, Response } from 'express'
import type { Carried } from '../request/player-context.ts'
import type { Headers } from './headers.ts'
import { errorText, fill, type Language, languageOf, type TextKey, type Texts, textsOf } from './languages.ts'

/** Why a viewer does not get what they asked for: the status, and the sentence they are told. */
export interface Refusal {
  readonly status: number
  readonly text: TextKey
  readonly values?: Readonly<Record<string, string | number>>
  readonly retryAfterSeconds?: number
}

export interface SignInState {
  readonly carried: Carried
  readonly refusal?: Refusal
  /** What the viewer typed, to be typed no second time. */
  readonly username?: string
  readonly signedInAs?: string
}

export interface MessageState {
  readonly title: keyof Texts['titles']
  readonly refusal: Refusal
  /** Where the viewer can go from here; absent on a screen that must not lead anywhere. */
  readonly onward?: { readonly carried: Carried; readonly to: 'someoneElse' | 'tryAgain' }
  /** The request's id, where the log has more to say. */
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

const REMEMBERED_SCREENS = 64
/** Stands for the typed name in a screen that is rendered ahead, which may show the name but not look into it. */
const TYPED_NAME = '\ue000'

/** Compiles the templates of a folder once, so that a mistake in one is known at the start. */
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

/** The screens of one entry point, in every language, each with the headers that belong to its return address. */
export function createScreens(
  views: Views,
  basePath: string,
  headersFor: (returnOrigin: string | null) => Headers,
): Screens {
  const freshPages = rememberSome<Buffer>()
  const refusedPages = rememberSome<readonly string[]>()

  function signInHtml(language: Language, { carried, refusal, username, signedInAs }: SignInState): string {
    const texts = textsOf(language)
    return views.signIn({
      language,
      texts,
      basePath,
      asset: views.asset,
      fields: carried.fields,
      continueAddress: addressOf(basePath, carried.fields),
      alert: refusal === undefined ? null : errorText(language, refusal.text, refusal.values),
      username: username ?? '',
      signedInAs: signedInAs === undefined ? null : fill(texts.signedInAs, { username: signedInAs }),
    })
  }
  /** The same for every viewer who comes from the same player: rendered once. */
  function freshPage(language: Language, carried: Carried): Buffer {
    return freshPages(`${language} ${JSON.stringify(carried.fields)}`, () =>
      Buffer.from(signInHtml(language, { carried })),
    )
  }
  /** The same but for the name, for all who are refused for the same reason: an overload refuses by the thousand. */
  function refusedPage(language: Language, carried: Carried, refusal: Refusal, username: string): Buffer {
    const key = `${language} ${JSON.stringify([carried.fields, refusal])}`
    const parts = refusedPages(key, () =>
      signInHtml(language, { carried, refusal, username: TYPED_NAME }).split(TYPED_NAME),
    )
    return Buffer.from(parts.join(ejs.escapeXML(username)))
  }
  function pageFor(language: Language, state: SignInState): Buffer {
    const { carried, refusal, username, signedInAs } = state
    if (signedInAs !== undefined) return Buffer.from(signInHtml(language, state))
    if (refusal === undefined) return freshPage(language, carried)
    return refusedPage(language, carried, refusal, username ?? '')
  }
  function sendSignIn(req: Request, res: Response, state: SignInState): void {
    sendPage(res, headersFor(state.carried.address.origin), pageFor(languageOf(req), state), state.refusal)
  }
  function sendMessage(req: Request, res: Response, { title, refusal, onward, reference }: MessageState): void {
    const language = languageOf(req)
    const texts = textsOf(language)
    const query = onward?.to === 'someoneElse' ? { ...onward.carried.fields, prompt: 'login' } : onward?.carried.fields
    const html = views.message({
      language,
      texts,
      basePath,
      asset: views.asset,
      title: texts.titles[title],
      alert: errorText(language, refusal.text, refusal.values),
      reference: reference === undefined ? null : fill(texts.reference, { reference }),
      fields: onward?.carried.fields ?? {},
      actions: onward === undefined ? null : { href: addressOf(basePath, query ?? {}), label: texts[onward.to] },
    })
    sendPage(res, headersFor(onward?.carried.address.origin ?? null), Buffer.from(html), refusal)
  }
  return { sendSignIn, sendMessage }
}

/** Keeps what was made for the last few keys, since a key holds what a viewer can change. */
function rememberSome<T>(): (key: string, make: () => T) => T {
  const remembered = new Map<string, T>()
  return (key, make) => {
    const known = remembered.get(key)
    if (known !== undefined) return known
    const made = make()
    if (remembered.size >= REMEMBERED_SCREENS) remembered.delete(remembered.keys().next().value ?? key)
    remembered.set(key, made)
    return made
  }
}

/**
 * 303, so that a post is followed by a GET (RFC 9110 15.4.4).
 * @param location from passToPlayer() or returnWithoutResponse(), or a path of this app's.
 */
export function sendRedirect(res: Response, headers: Headers, location: string): void {
  res.writeHead(303, { ...headers, Location: location, 'Content-Length': '0' }).end()
}

/** The entry point's own address with fields in its query. */
export function addressOf(basePath: string, fields: Readonly<Record<string, string>>): string {
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
