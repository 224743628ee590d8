import type ejs from 'ejs'
import type { Request, Response } from 'express'
import type { Brand } from '../../brand/brand.ts'
import { errorText, fill, type Language, languageOf, textsOf } from '../../languages/languages.ts'
import { assetAddress as asset } from '../../login/screens/assets.ts'
import { createPages, htmlWithName } from '../../login/screens/page.ts'
import type { Refusal } from '../../login/screens/screens.ts'
import { passwordAttributes } from '../../login/screens/script-attributes.ts'
import { sendPage } from '../../login/screens/send.ts'
import { windowHeaders } from '../../services/window/window-headers.ts'
import type { OwnPasskey } from './own-passkeys.ts'
import type { RelyingParty } from './web-authn/answers.ts'
import { type Creation, creationOptions, TIMEOUT_MS } from './web-authn/options.ts'

/** The steps of the window, below the base path of an entry point. */
export const PASSKEY_PATHS = {
  start: '/passkey/start',
  finish: '/passkey/finish',
  password: '/passkey/password',
  create: '/passkey/create',
  remove: '/passkey/remove',
} as const

export interface SignInPage {
  readonly flow: string
  readonly challenge: string
  /** True if the viewer wants to create a passkey: the password form is open. */
  readonly isCreating: boolean
  /** The typed user name, shown again. */
  readonly username?: string
}

export interface CreationPage extends Creation {
  readonly flow: string
}

export interface OwnPage {
  readonly flow: string
  readonly challenge: string
  readonly own: readonly OwnPasskey[]
}

/** The pages in the window of a passkey. They are at the top level, and no page may frame them. */
export type PasskeyPages = ReturnType<typeof createPasskeyPages>

export interface PasskeyPagesOptions {
  readonly template: ejs.TemplateFunction
  readonly brand: Brand
  readonly basePath: string
  readonly publicUrl: URL
  /** The name that authenticators show. */
  readonly service: string
  readonly relyingParty: RelyingParty
}

/** Creates the pages of one entry point, in every language. */
export function createPasskeyPages(options: PasskeyPagesOptions) {
  const { template, brand, basePath, publicUrl } = options
  const pageIn = createPages(brand, asset('icon.svg'))
  const formHeaders = windowHeaders(publicUrl, { hasForm: true, hasScript: true })
  const doneHeaders = windowHeaders(publicUrl, { hasScript: true })
  const headers = windowHeaders(publicUrl)
  const ownLanguageOf = (req: Request) => languageOf(req, brand.defaultLanguage)

  function htmlOf(language: Language, content: WindowContent, refusal?: Refusal): string {
    const texts = textsOf(language)
    const alert = refusal ? errorText(language, refusal.text, refusal.values, brand.usernameKind) : null
    const pageTitle = alert === null ? content.title : fill(texts.titleWithError, { title: content.title })
    const shown = { ...NOTHING, ...content, alert, fault: refusal?.text, pageTitle }
    return template({ asset, basePath, paths: PASSKEY_PATHS, texts, page: pageIn(language), ...shown })
  }
  return {
    languageOf: ownLanguageOf,
    /** Asks the authenticator for a passkey. Has the password form for viewers without one. */
    sendSignIn(req: Request, res: Response, page: SignInPage, refusal?: Refusal): void {
      const language = ownLanguageOf(req)
      const content = signInContent(options.relyingParty, language, page, refusal === undefined)
      sendPage(res, formHeaders, htmlOf(language, content, refusal), refusal)
    },
    /** Asks the authenticator to create a passkey. */
    sendCreation(req: Request, res: Response, page: CreationPage): void {
      const language = ownLanguageOf(req)
      const { passkeys: texts } = textsOf(language)
      const publicKey = creationOptions(options.relyingParty, options.service, page)
      const { flow } = page
      const button = texts.createTitle
      const ceremony = { kind: 'create', publicKey, path: PASSKEY_PATHS.create, button, isAutomatic: true, flow }
      sendPage(res, formHeaders, htmlOf(language, { title: texts.createTitle, text: texts.instruction, ceremony }))
    },
    /** Lists the passkeys of the viewer, to remove some. */
    sendOwn(req: Request, res: Response, ownPage: OwnPage, refusal?: Refusal): void {
      const language = ownLanguageOf(req)
      const { passkeys, account } = textsOf(language)
      const content = {
        title: passkeys.own,
        text: ownPage.own.length > 0 ? account.logsOutEverywhere : passkeys.none,
        ownPage,
      }
      sendPage(res, formHeaders, htmlOf(language, content, refusal), refusal)
    },
    sendRemoved(req: Request, res: Response): void {
      const language = ownLanguageOf(req)
      const { passkeys } = textsOf(language)
      sendPage(res, headers, htmlOf(language, { title: passkeys.removedTitle, text: passkeys.removed }))
    },
    /** Says that the viewer is signed in, and closes the window. */
    sendDone(req: Request, res: Response, username: string, isNew: boolean): void {
      const language = ownLanguageOf(req)
      const { passkeys, window } = textsOf(language)
      const title = isNew ? passkeys.createdTitle : window.doneTitle
      const content = { title, text: htmlWithName(window.done, username), isHtml: true, script: 'window-close.js' }
      sendPage(res, doneHeaders, htmlOf(language, content))
    },
    refuse(req: Request, res: Response, refusal: Refusal): void {
      const language = ownLanguageOf(req)
      const { window } = textsOf(language)
      sendPage(res, headers, htmlOf(language, { title: window.failedTitle, text: window.goBack }, refusal), refusal)
    },
  }
}

/** The parts that a page does not have. */
const NOTHING = { ceremony: null, password: null, ownPage: null, script: null, isHtml: false }

interface WindowContent {
  readonly title: string
  readonly text: string
  /** True if the text is HTML already. */
  readonly isHtml?: boolean
  /** A question to the authenticator, which `public/passkeys.js` asks. */
  readonly ceremony?: {
    readonly kind: string
    /** The options of `navigator.credentials`, with base64url in place of bytes. */
    readonly publicKey: object
    /** Gets the answer. */
    readonly path: string
    readonly button: string
    /** True if the page asks at once. */
    readonly isAutomatic: boolean
    readonly flow: string
  }
  /** The form of viewers who create a passkey. */
  readonly password?: { readonly isOpen: boolean; readonly username: string; readonly attributes: string }
  readonly ownPage?: OwnPage
  readonly script?: string
}

/** @param isFirst false after a refusal. */
function signInContent(
  { id: rpId }: RelyingParty,
  language: Language,
  { flow, challenge, isCreating, username = '' }: SignInPage,
  isFirst: boolean,
): WindowContent {
  const { passkeys: texts } = textsOf(language)
  const publicKey = { challenge, rpId, userVerification: 'required', timeout: TIMEOUT_MS }
  const isAutomatic = !isCreating && isFirst
  const ceremony = { kind: 'get', publicKey, path: PASSKEY_PATHS.finish, button: texts.signIn, isAutomatic, flow }
  const password = { isOpen: isCreating, username, attributes: passwordAttributes(language) }
  return isCreating
    ? { title: texts.createTitle, text: texts.createIntroduction, ceremony, password }
    : { title: texts.signIn, text: texts.instruction, ceremony, password }
}
