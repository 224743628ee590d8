import { randomUUID } from 'node:crypto'
import ejs from 'ejs'
import type { Request, Response } from 'express'
import { LRUCache } from 'lru-cache'
import type { Brand } from '../../brand/brand.ts'
import {
  chosenLanguage,
  errorText,
  fill,
  type Language,
  languageOf,
  type TextKey,
  type Texts,
  type TextValues,
  textsOf,
} from '../../languages/languages.ts'
import type { Explanation } from '../answer/access-decision.ts'
import { policyText } from '../answer/policy-text.ts'
import type { PlayerContext } from '../request/player-context.ts'
import type { HeadersFor } from './headers.ts'
import { alertOf, createPages, htmlWithName, type Page, type PageLink, reasonOf, titlesOf } from './page.ts'
import { PASSWORD_WAY, type ScreenPart, wayLocals } from './screen-part.ts'
import { scriptAttributes } from './script-attributes.ts'
import { pathOf, sendPage } from './send.ts'
import type { Views } from './views.ts'

/** A refusal: the status, and the sentence for the viewer. */
export interface Refusal {
  readonly status: number
  readonly text: TextKey
  readonly values?: TextValues
  readonly retryAfterSeconds?: number
}

export interface SignInState {
  readonly context: PlayerContext
  readonly refusal?: Refusal
  /** The typed user name, shown again. */
  readonly username?: string
  /** True if the viewer said that other people use the computer too. */
  readonly isShared?: boolean
  /** Adds a way to continue without a password. */
  readonly signedInAs?: string
  /** True if the viewer must choose before the player gets an answer. Needs `signedInAs`. */
  readonly asksFirst?: boolean
  /** True if the viewer wants another account. The form is then open at once, as it is after a refusal. */
  readonly wantsOtherAccount?: boolean
  /** The screen that the viewer wants: a prompt of a part, or `other-account`. */
  readonly prompt?: string
  /** The secret of the screen before, whose window may still be open. */
  readonly frameSecret?: string
}

export interface MessageState {
  readonly title: keyof Texts['titles']
  readonly refusal: Refusal
  /** The link to the sign-in screen; absent for a screen without links. */
  readonly link?: { readonly context: PlayerContext; readonly text: 'otherAccount' | 'signIn' | 'tryAgain' }
  /** Replaces the sentence of the refusal. */
  readonly explanation?: Explanation
  /** The id of the request, if the log has details. */
  readonly reference?: string
  /** True if only the player can open another address: no link helps. */
  readonly needsPlayer?: boolean
}

export type Screens = ReturnType<typeof createScreens>

/** Limited, because viewers can change the query, which is part of the key. */
const CACHED_SCREENS = 256
/**
 * Placeholder for a random text of this page, which tells a form that comes twice from two forms. All placeholders are
 * in Latin-1: a character outside doubles the bytes of the whole page in memory, and the time to write it.
 */
const FORM_PAGE = '\x84'
/** Placeholder for the typed name in a cached screen. */
const TYPED_NAME = '\x80'

/** The parts of an entry point that its screens use. */
export interface ScreensOptions {
  readonly views: Views
  readonly brand: Brand
  readonly basePath: string
  readonly headersFor: HeadersFor
  /** False if no screen has a way back to the player without an answer. Default: true. */
  readonly canCancel?: boolean
  /** True if the sign-in screen loads `public/login.js`. Default: false. */
  readonly hasScript?: boolean
  /** The ways to sign in. The first one has the first screen. Default: the password alone. */
  readonly ways?: readonly ScreenPart[]
  /** False for the screens of the app itself if no entry point is at `/`. Default: true. */
  readonly hasStartPage?: boolean
}

/** Creates the screens of one entry point, in every language, with the headers for their return address. */
export function createScreens(options: ScreensOptions) {
  const { views, brand, headersFor, hasScript } = options
  const pageIn = createPages(brand, views.asset('icon.svg'))
  const signInPage = createSignInPages(options, pageIn)
  return {
    sendSignIn(req: Request, res: Response, state: SignInState): void {
      const headers = headersFor(state.context.address.origin, hasScript)
      sendPage(res, headers, signInPage(languageOf(req, brand.defaultLanguage), state), state.refusal)
    },
    sendMessage(req: Request, res: Response, state: MessageState): void {
      const html = messageHtml(options, pageIn(languageOf(req, brand.defaultLanguage)), req, state)
      sendPage(res, headersFor(state.link?.context.address.origin ?? null), html, state.refusal)
    },
  }
}

/**
 * Returns a function that creates the sign-in screen, from a cache unless it shows a signed-in viewer. An overload
 * refuses thousands of viewers with the same screen, and a refusal must stay cheap.
 */
function createSignInPages(options: ScreensOptions, pageIn: ReturnType<typeof createPages>) {
  const { ways = [], views } = options
  const cache = new LRUCache<string, readonly string[]>({ sizeCalculation: () => 1, maxSize: CACHED_SCREENS })
  const htmlOf = (language: Language, state: SignInState) =>
    views.signIn(signInLocals(options, pageIn(language), state))
  return (language: Language, state: SignInState): string => {
    const { context, refusal, username = '', isShared, prompt, signedInAs, frameSecret } = state
    const formPage = randomUUID()
    const complete = (html: string) =>
      ways.reduce((text, way) => way.complete?.(text, frameSecret) ?? text, html.replaceAll(FORM_PAGE, formPage))
    if (signedInAs !== undefined) return complete(htmlOf(language, state))
    const placeholder = username === '' ? '' : TYPED_NAME
    // All that differs between screens without a signed-in viewer. A single way may have no prompt to read.
    const shown = [context.fields, refusal, isShared, placeholder, ways.length > 0 ? prompt : null]
    const key = `${language} ${JSON.stringify(shown)}`
    const pieces = cache.get(key) ?? htmlOf(language, { ...state, username: placeholder }).split(TYPED_NAME)
    cache.set(key, pieces)
    return pieces.map(complete).join(ejs.escapeXML(username))
  }
}

/** Returns all values that the template of the sign-in screen uses. */
export function signInLocals(
  { views: { asset }, brand, basePath, hasScript = false, ways = [PASSWORD_WAY] }: Omit<ScreensOptions, 'headersFor'>,
  page: Page,
  state: SignInState,
): ejs.Data {
  const { context, refusal, username = '', isShared = false, asksFirst = false, wantsOtherAccount = false } = state
  const { fields } = context
  const isPasswordFirst = ways[0] === PASSWORD_WAY
  // A small screen has no room for both.
  const signedInAs = !isPasswordFirst && (wantsOtherAccount || refusal !== undefined) ? undefined : state.signedInAs
  const texts = textsOf(page.language)
  const { own, title, windowTitle } = titlesOf(brand, texts, page.language)
  return {
    basePath,
    asset,
    page,
    texts,
    title: signedInAs === undefined ? title : (own ?? texts.titles.welcomeBack),
    pageTitle: refusal === undefined ? windowTitle : fill(texts.titleWithError, { title: windowTitle }),
    fields,
    links: page.links,
    signedInAs,
    continueAs: signedInAs === undefined ? null : htmlWithName(texts.continueAs, signedInAs),
    formPage: FORM_PAGE,
    isFormOpen: wantsOtherAccount || refusal !== undefined,
    otherAccount: asksFirst ? texts.notYou : texts.otherAccount,
    otherAddress: isPasswordFirst ? null : pathOf(basePath, { ...fields, prompt: 'other-account' }),
    ...alertOf(page.language, brand, refusal, username !== ''),
    reason: refusal && reasonOf(refusal),
    username,
    isShared,
    hasScript,
    scriptAttributes: hasScript ? scriptAttributes(page.language, refusal) : '',
    ...wayLocals(ways, {
      texts,
      basePath,
      fields,
      prompt: state.prompt,
      wantsOtherAccount,
      hasName: username !== '',
    }),
  }
}

function messageHtml(options: ScreensOptions, page: Page, req: Request, state: MessageState): string {
  const { views, basePath, canCancel = true } = options
  const { title, refusal, explanation, link, reference } = state
  const { language } = page
  const texts = textsOf(language)
  const { username, ...values } = refusal.values ?? {}
  const ofAll = explanation?.ofAll
  const isError = refusal.status >= 400 && ofAll === undefined
  const heading = ofAll ? policyText(language, ofAll.title) : texts.titles[title]
  return views.message({
    basePath,
    asset: views.asset,
    page,
    texts,
    title: heading,
    event: policyText(language, ofAll?.event ?? ''),
    announcement: policyText(language, ofAll?.announcement ?? ''),
    role: isError ? 'alert' : 'status',
    pageTitle: isError ? fill(texts.titleWithError, { title: heading }) : heading,
    alert: htmlWithName(
      explanation ? policyText(language, explanation.text) : errorText(language, refusal.text, values),
      String(username),
    ),
    reason: ofAll?.reason ?? explanation?.reason ?? reasonOf(refusal),
    reference: reference === undefined ? null : fill(texts.reference, { reference }),
    fields: canCancel ? (link?.context.fields ?? null) : null,
    ways: waysOn(options, req, state, language),
  })
}

/** Returns the links of a message, the best first, so that no screen is a dead end. */
function waysOn(
  { basePath, hasStartPage = true }: ScreensOptions,
  req: Request,
  { link, explanation, refusal: { status }, needsPlayer = false }: MessageState,
  language: Language,
): (PageLink & { readonly isOutside?: boolean })[] {
  const texts = textsOf(language)
  if (link !== undefined) {
    const prompt = link.text === 'otherAccount' ? { prompt: 'other-account' } : {}
    const { link: outside, ofAll: { next = texts[link.text] } = {} } = explanation ?? {}
    const address = pathOf(basePath, { ...link.context.fields, ...prompt })
    return [
      ...(outside ? [{ address: outside.href, text: policyText(language, outside.text), isOutside: true }] : []),
      ...(next === null ? [] : [{ address, text: policyText(language, next) }]),
    ]
  }
  if (needsPlayer) return []
  // An empty address opens the same page again, with its query.
  if (req.method === 'GET' && status !== 404 && status !== 405) return [{ address: '', text: texts.tryAgain }]
  if (!hasStartPage) return []
  const lang = chosenLanguage(req)
  const address = pathOf(basePath, lang === null ? {} : { lang })
  return [{ address, text: status === 404 ? texts.signIn : texts.tryAgain }]
}
