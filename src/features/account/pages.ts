import type ejs from 'ejs'
import type { Request, Response } from 'express'
import type { Brand } from '../../brand/brand.ts'
import { errorText, fill, type Language, languageOf, sentence, type Texts, textsOf } from '../../languages/languages.ts'
import { assetAddress } from '../../login/screens/assets.ts'
import type { Headers } from '../../login/screens/headers.ts'
import { createPages, htmlWithName } from '../../login/screens/page.ts'
import type { Refusal } from '../../login/screens/screens.ts'
import { passwordAttributes } from '../../login/screens/script-attributes.ts'
import { pathOf, sendPage } from '../../login/screens/send.ts'
import { compileView } from '../../login/screens/views.ts'
import { ACCOUNT_PATHS } from './links/addresses.ts'

type AccountTexts = Texts['account']

export type AccountPage =
  | { readonly view: 'forgot'; readonly username?: string }
  | {
      readonly view: 'new-password'
      readonly token: string
      readonly username: string
      readonly isInvitation: boolean
      readonly parts: string
    }
  | { readonly view: 'change-password'; readonly username?: string }
  | { readonly view: 'message'; readonly message: 'saved' | 'deadLink' | 'refused' }
  | { readonly view: 'message'; readonly message: 'linkSent'; readonly username: string }

type NewPasswordPage = Extract<AccountPage, { readonly view: 'new-password' }>
type MessagePage = Extract<AccountPage, { readonly view: 'message' }>

const MESSAGE_TITLES = {
  linkSent: 'linkSentTitle',
  saved: 'savedTitle',
  deadLink: 'deadLinkTitle',
  refused: 'resetTitle',
} as const

export type AccountPages = ReturnType<typeof createAccountPages>

export type AccountTemplates = Readonly<Record<AccountPage['view'], ejs.TemplateFunction>>

/** Compiles the templates once, so that a mistake in a template stops the start. */
export function openAccountTemplates(): AccountTemplates {
  const compile = (name: AccountPage['view']) => compileView(`account/${name}`)
  return {
    forgot: compile('forgot'),
    'new-password': compile('new-password'),
    'change-password': compile('change-password'),
    message: compile('message'),
  }
}

export interface AccountPagesOptions {
  readonly templates: AccountTemplates
  readonly brand: Brand
  readonly basePath: string
  /** The headers of a response that no page may frame. */
  readonly headers: Headers
  /** The headers of a page that loads `public/login.js`. */
  readonly scriptHeaders: Headers
  /** True if the pages with passwords load `public/login.js`. */
  readonly hasScript: boolean
  /** True if viewers can ask for a link by mail. */
  readonly canReset: boolean
  /** True if a viewer can sign in without a player around the screen. */
  readonly hasStartPage: boolean
  /** The page with the video. Null if it is not known. */
  readonly watchUrl: string | null
  readonly fewestCharacters: number
}

/** Creates the pages of one entry point, in every language. They appear in a window of their own, never in a frame. */
export function createAccountPages(options: AccountPagesOptions) {
  const { templates, brand, basePath, canReset, hasStartPage, watchUrl, fewestCharacters } = options
  const asset = assetAddress
  const pageIn = createPages(brand, asset('icon.svg'))

  const ownLanguageOf = (req: Request) => languageOf(req, brand.defaultLanguage)
  function htmlOf(language: Language, page: AccountPage, refusal: Refusal | undefined): string {
    const texts = textsFor(brand, language)
    const title = titleOf(page, texts.account, brand)
    const hasScript = options.hasScript && hasPassword(page)
    return templates[page.view]({
      asset,
      basePath,
      paths: ACCOUNT_PATHS,
      page: pageIn(language),
      texts,
      title,
      pageTitle: refusal === undefined ? title : fill(texts.titleWithError, { title }),
      alert: refusal ? errorText(language, refusal.text, refusal.values, brand.usernameKind) : null,
      fault: refusal?.text,
      rule: sentence(language, texts.account.passwordRule, { count: fewestCharacters }),
      fieldState: (isWrong: boolean) =>
        refusal === undefined ? '' : `${isWrong ? ' aria-invalid="true"' : ''} aria-describedby="alert"`,
      status: refusal?.status,
      username: '',
      hasScript,
      passwordAttributes: hasScript ? passwordAttributes(language) : '',
      ...page,
      ...(page.view === 'new-password' && { introduction: introductionOf(page, texts.account) }),
      ...(page.view === 'message' && messageParts(page, language)),
    })
  }
  /** Returns the sentence of a message, and the links that lead on. */
  function messageParts(page: MessagePage, language: Language) {
    const { signIn, account: texts, mail } = textsOf(language)
    const forgot = `${basePath}${ACCOUNT_PATHS.forgot}?lang=${language}`
    const toVideo = watchUrl === null ? [] : [{ address: watchUrl, text: mail.goToVideo }]
    const parts = { text: null, links: [] as const, typed: null, isDone: false, isPrimary: false }
    switch (page.message) {
      case 'linkSent': {
        const typed = htmlWithName(texts.forAccount, page.username)
        const links = [{ address: forgot, text: texts.sendAgain }]
        return { ...parts, text: texts.linkSent, links, typed, isDone: true }
      }
      case 'saved': {
        if (watchUrl !== null)
          return { ...parts, text: texts.savedForVideo, links: toVideo, isPrimary: true, isDone: true }
        const links = hasStartPage ? [{ address: pathOf(basePath, { lang: language }), text: signIn }] : []
        return { ...parts, text: texts.saved, links, isDone: true }
      }
      case 'refused':
        return parts
      case 'deadLink':
        if (!canReset) return { ...parts, text: texts.deadInvitation, links: toVideo }
        return { ...parts, links: [{ address: forgot, text: texts.requestNewLink }, ...toVideo] }
    }
  }
  return {
    languageOf: ownLanguageOf,
    send(req: Request, res: Response, page: AccountPage, refusal?: Refusal): void {
      sendPage(res, headersOf(options, page), htmlOf(ownLanguageOf(req), page, refusal), refusal)
    },
  }
}

/** Returns the texts of a language, with "email" in place of "user name" if viewers log in with their mail address. */
function textsFor({ usernameKind }: Brand, language: Language): Texts {
  const texts = textsOf(language)
  if (usernameKind !== 'email') return texts
  const { forgotIntroductionEmail: forgotIntroduction } = texts.account
  return { ...texts, account: { ...texts.account, usernameOrEmail: texts.email, forgotIntroduction } }
}

function hasPassword({ view }: AccountPage): boolean {
  return view === 'new-password' || view === 'change-password'
}

function headersOf({ headers, scriptHeaders, hasScript }: AccountPagesOptions, page: AccountPage): Headers {
  const own = hasScript && hasPassword(page) ? scriptHeaders : headers
  // The address has a token: not even the log of a proxy may learn it from the request of a stylesheet.
  return page.view === 'new-password' ? { ...own, 'Referrer-Policy': 'no-referrer' } : own
}

/** Returns HTML, in which the user name is isolated. */
function introductionOf({ isInvitation, username }: NewPasswordPage, texts: AccountTexts): string {
  return htmlWithName(isInvitation ? texts.inviteIntroduction : texts.forAccount, username)
}

function titleOf(page: AccountPage, texts: AccountTexts, { name }: Brand): string {
  switch (page.view) {
    case 'forgot':
      return texts.forgotTitle
    case 'change-password':
      return texts.changeTitle
    case 'new-password':
      if (!page.isInvitation) return texts.resetTitle
      return name === null ? texts.inviteTitle : fill(texts.inviteTitleWithBrand, { brand: name })
    case 'message':
      return texts[MESSAGE_TITLES[page.message]]
  }
}
