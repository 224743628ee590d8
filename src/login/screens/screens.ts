import ejs from 'ejs'
import type { Request, Response } from 'express'
import { LRUCache } from 'lru-cache'
import type { Brand } from '../../brand/brand.ts'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import {
  chosenLanguage,
  errorText,
  fill,
  type Language,
  languageOf,
  type TextKey,
  type Texts,
  textsOf,
} from '../../languages/languages.ts'
import type { Explanation, PolicyText } from '../access-decision.ts'
import type { PlayerContext } from '../request/player-context.ts'
import type { HeadersFor } from './headers.ts'
import { alertOf, createPages, htmlWithName, type Page, type PageLink, titlesOf } from './page.ts'
import { scriptAttributes } from './script-attributes.ts'
import { pathOf, sendPage } from './send.ts'
import type { Views } from './views.ts'
import {
  type AccountChoice,
  newRendezvous,
  PLACEHOLDERS,
  passkeyLocals,
  type Rendezvous,
  type SsoScreen,
  ssoLocals,
  withRendezvous,
} from './window-parts.ts'

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
  /** True if the viewer said that other people use the computer too. */
  readonly isShared?: boolean
  /** Adds a way to continue without a password. */
  readonly signedInAs?: string
  /** True if the viewer is asked before the player gets a response. */
  readonly isAsked?: boolean
  /** True if the form for another account is open at once, as it is after a refusal. */
  readonly isFormOpen?: boolean
  /** With a sign-in in a window. */
  readonly account?: AccountChoice
  /** The secret of the screen before, whose window may still be open. */
  readonly wait?: string
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
}

export interface Screens {
  sendSignIn(req: Request, res: Response, state: SignInState): void
  sendMessage(req: Request, res: Response, state: MessageState): void
}

/** Limited, because viewers can change the query, which is part of the key. */
const CACHED_SCREENS = 256
/** Placeholder for the typed name in a cached screen. */
const TYPED_NAME = '\ue000'

/** The parts of an entry point that its screens use. */
export interface ScreensOptions {
  readonly views: Views
  readonly brand: Brand
  readonly basePath: string
  readonly headersFor: HeadersFor
  /** With tokens, no screen has a way back to the player without a token. Default: hash. */
  readonly viewerAuth?: EntryPoint['viewerAuth']
  /** True if the sign-in screen loads `public/login.js`. Default: false. */
  readonly hasScript?: boolean
  /** Null without single sign-on, the default. */
  readonly sso?: SsoScreen | null
  /** Default: false. */
  readonly hasPasskeys?: boolean
  /** The host of PUBLIC_URL, which viewers type on another device. Default: ''. */
  readonly publicHost?: string
  /** False for the screens of the app itself if no entry point is at `/`. Default: true. */
  readonly hasStartPage?: boolean
}

/** Creates the screens of one entry point, in every language, with the headers for their return address. */
export function createScreens(options: ScreensOptions): Screens {
  const { views, brand, headersFor, hasScript } = options
  const pageIn = createPages(brand, views.asset('icon.svg'))
  const signInPage = createSignInPages(options, pageIn)
  return {
    sendSignIn(req, res, state) {
      const headers = headersFor(state.context.address.origin, hasScript)
      sendPage(res, headers, signInPage(languageOf(req, brand.defaultLanguage), state), state.refusal)
    },
    sendMessage(req, res, state) {
      const html = messageHtml(options, pageIn(languageOf(req, brand.defaultLanguage)), req, state)
      sendPage(res, headersFor(state.link?.context.address.origin ?? null), html, state.refusal)
    },
  }
}

type PageIn = (language: Language) => Page

/** Returns the sign-in screen, from a cache if no name of a signed-in viewer is on it. */
function createSignInPages(options: ScreensOptions, pageIn: PageIn) {
  const freshPages = new LRUCache<string, string>({ max: CACHED_SCREENS })
  const refusedPages = new LRUCache<string, readonly string[]>({ max: CACHED_SCREENS })

  const hasWindow = (options.sso ?? null) !== null || options.hasPasskeys === true
  function signInHtml(language: Language, state: SignInState, rendezvous: Rendezvous = PLACEHOLDERS): string {
    return options.views.signIn(signInLocals(options, pageIn(language), state, rendezvous))
  }
  /** Returns the screen from a cache: it is the same for every viewer from the same player. */
  function freshPage(language: Language, { context, account }: SignInState): string {
    const key = `${language} ${JSON.stringify(context.fields)}${hasWindow && account !== undefined ? account : ''}`
    return getOrCreate(freshPages, key, () => signInHtml(language, { context, ...(account && { account }) }))
  }
  /** Returns a cached screen with the typed name: an overload refuses thousands of viewers with the same screen. */
  function refusedPage(language: Language, state: SignInState, complete: (html: string) => string): string {
    const { context, refusal, username = '', isShared } = state
    const placeholder = username === '' ? '' : TYPED_NAME
    const key = `${language} ${JSON.stringify([context.fields, refusal, isShared, placeholder, state.account])}`
    const parts = getOrCreate(refusedPages, key, () =>
      signInHtml(language, { ...state, username: placeholder }).split(TYPED_NAME),
    )
    return parts.map(complete).join(ejs.escapeXML(username))
  }
  return (language: Language, state: SignInState): string => {
    const rendezvous = hasWindow ? newRendezvous(state.wait) : PLACEHOLDERS
    if (state.signedInAs !== undefined) return signInHtml(language, state, rendezvous)
    const complete = (html: string) => (hasWindow ? withRendezvous(html, rendezvous) : html)
    return state.refusal === undefined ? complete(freshPage(language, state)) : refusedPage(language, state, complete)
  }
}

/** Returns all values that the template of the sign-in screen uses. */
export function signInLocals(
  {
    views: { asset },
    brand,
    basePath,
    hasScript = false,
    sso = null,
    hasPasskeys = false,
    publicHost = '',
  }: SignInOptions,
  page: Page,
  state: SignInLocalsState,
  rendezvous: Rendezvous = PLACEHOLDERS,
): ejs.Data {
  const { context, refusal, username = '', isShared = false, isAsked = false, isFormOpen = false } = state
  const { fields } = context
  // With single sign-on, a small screen has no room for both.
  const isOther = sso !== null && (isFormOpen || refusal !== undefined)
  const signedInAs = isOther ? undefined : state.signedInAs
  const texts = textsOf(page.language)
  const { title, windowTitle } = titlesOf(brand, texts)
  return {
    basePath,
    asset,
    page,
    texts,
    title: signedInAs === undefined || brand.title !== null ? title : texts.titles.welcomeBack,
    pageTitle: refusal === undefined ? windowTitle : fill(texts.titleWithError, { title: windowTitle }),
    fields,
    links: page.links,
    signedInAs,
    continueAs: signedInAs === undefined ? null : htmlWithName(texts.continueAs, signedInAs),
    isFormOpen: isFormOpen || refusal !== undefined,
    otherAccount: isAsked ? texts.notYou : texts.otherAccount,
    ...alertOf(page.language, brand, refusal, username !== ''),
    reason: refusal && reasonOf(refusal),
    username,
    isShared,
    hasScript,
    scriptAttributes: hasScript ? scriptAttributes(page.language, refusal) : '',
    sso:
      sso === null
        ? null
        : ssoLocals(sso, texts, { ...state, isFormOpen, codePage: `${publicHost}${basePath}/sso` }, rendezvous),
    passkey: passkeyLocals(
      hasPasskeys,
      state.account,
      (prompt) => pathOf(basePath, { ...fields, ...prompt }),
      rendezvous,
    ),
    otherAddress: sso === null ? '' : pathOf(basePath, { ...fields, prompt: 'other-account' }),
    codeAddress: sso === null ? '' : pathOf(basePath, { ...fields, prompt: 'code' }),
  }
}

type SignInOptions = Pick<ScreensOptions, 'brand' | 'basePath' | 'hasScript' | 'sso' | 'hasPasskeys' | 'publicHost'> & {
  views: Pick<Views, 'asset'>
}
type SignInLocalsState = Omit<SignInState, 'context'> & { readonly context: Pick<PlayerContext, 'fields'> }

function messageHtml(options: ScreensOptions, page: Page, req: Request, state: MessageState): string {
  const { views, basePath, viewerAuth } = options
  const { title, refusal, explanation, link, reference } = state
  const { language } = page
  const texts = textsOf(language)
  const { username, ...values } = refusal.values ?? {}
  const isError = refusal.status >= 400
  return views.message({
    basePath,
    asset: views.asset,
    page,
    texts,
    title: texts.titles[title],
    // A cancelled login is no error.
    role: isError ? 'alert' : 'status',
    pageTitle: isError ? fill(texts.titleWithError, { title: texts.titles[title] }) : texts.titles[title],
    alert: htmlWithName(
      explanation ? textIn(language, explanation.text) : errorText(language, refusal.text, values),
      String(username),
    ),
    reason: reasonOf(refusal),
    reference: reference === undefined ? null : fill(texts.reference, { reference }),
    fields: viewerAuth === 'token' ? null : (link?.context.fields ?? null),
    links: page.links.filter(({ name }) => name !== 'forgot'),
    ways: waysOn(options, req, state, language),
  })
}

/** Returns the reason for programs, such as `wrong-credentials`: the same in every language. */
function reasonOf({ text }: Refusal): string {
  return text.replace(/Minutes$/, '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

interface WayOn extends PageLink {
  readonly isOutside?: boolean
}

/** Only the player can open another address. Until then, the same address is refused again. */
const NEEDS_ANOTHER_ADDRESS: readonly TextKey[] = ['missingRef', 'refusedToken']

/** Returns the links of a message, the best first, so that no screen is a dead end. */
function waysOn(
  { basePath, hasStartPage = true }: ScreensOptions,
  req: Request,
  { link, explanation, refusal: { status, text } }: MessageState,
  language: Language,
): WayOn[] {
  const texts = textsOf(language)
  if (link !== undefined) {
    const prompt = link.text === 'otherAccount' ? { prompt: 'other-account' } : {}
    const toScreen = { address: pathOf(basePath, { ...link.context.fields, ...prompt }), text: texts[link.text] }
    if (explanation?.link === undefined) return [toScreen]
    const { href, text: linkText } = explanation.link
    return [{ address: href, text: textIn(language, linkText), isOutside: true }, toScreen]
  }
  if (NEEDS_ANOTHER_ADDRESS.includes(text)) return []
  // An empty address opens the same page again, with its query.
  if (req.method === 'GET' && status !== 404 && status !== 405) return [{ address: '', text: texts.tryAgain }]
  if (!hasStartPage) return []
  const lang = chosenLanguage(req)
  const address = pathOf(basePath, lang === null ? {} : { lang })
  return [{ address, text: status === 404 ? texts.signIn : texts.tryAgain }]
}

function textIn(language: Language, text: PolicyText): string {
  return typeof text === 'string' ? text : (text[language] ?? text.en)
}

function getOrCreate<T extends string | readonly string[]>(
  cache: LRUCache<string, T>,
  key: string,
  create: () => T,
): T {
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const created = create()
  cache.set(key, created)
  return created
}
