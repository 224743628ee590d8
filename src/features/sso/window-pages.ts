import type ejs from 'ejs'
import type { Request, Response } from 'express'
import type { Brand } from '../../brand/brand.ts'
import { errorText, fill, type Language, languageOf, textsOf } from '../../languages/languages.ts'
import { assetAddress as asset } from '../../login/screens/assets.ts'
import { createPages, htmlWithName, reasonOf } from '../../login/screens/page.ts'
import type { Refusal } from '../../login/screens/screens.ts'
import { sendPage } from '../../login/screens/send.ts'
import { windowHeaders } from '../../services/window/window-headers.ts'

/** The pages in the window of a sign-in. They are at the top level, and no page may frame them. */
export type WindowPages = ReturnType<typeof createWindowPages>

export interface WindowPagesOptions {
  readonly template: ejs.TemplateFunction
  readonly brand: Brand
  /** The name of the provider. */
  readonly label: string
  readonly basePath: string
  readonly publicUrl: URL
}

/** Creates the pages of one entry point, in every language. */
export function createWindowPages(options: WindowPagesOptions) {
  const { template, brand, label: provider, basePath, publicUrl } = options
  const pageIn = createPages(brand, asset('icon.svg'))
  const headers = windowHeaders(publicUrl)
  const formHeaders = windowHeaders(publicUrl, { hasForm: true })
  const scriptHeaders = windowHeaders(publicUrl, { hasScript: true })
  const ownLanguageOf = (req: Request) => languageOf(req, brand.defaultLanguage)

  function htmlOf(language: Language, content: WindowContent): string {
    const texts = textsOf(language)
    const title = fill(content.title, { provider })
    const pageTitle = content.reason === undefined ? title : fill(texts.titleWithError, { title })
    const shown = { ...NOTHING, ...content, title, pageTitle }
    return template({ asset, texts, page: pageIn(language), ...shown })
  }
  return {
    /** Sends the viewer on to the provider, without a script. */
    sendOpening(_req: Request, res: Response, address: string, language: Language): void {
      const { sso } = textsOf(language)
      const link = { address, text: fill(sso.goOn, { provider }) }
      const html = htmlOf(language, { title: sso.openingTitle, text: sso.opening, link })
      sendPage(res, { ...headers, Refresh: `0; url=${address}` }, html)
    },
    /** Says that the viewer is signed in, and closes the window if scripts are on. */
    sendDone(req: Request, res: Response, username: string, chosen: Language | null): void {
      const language = chosen ?? ownLanguageOf(req)
      const { window } = textsOf(language)
      const text = htmlWithName(window.done, username)
      const script = asset('window-close.js')
      sendPage(res, scriptHeaders, htmlOf(language, { title: window.doneTitle, text, isHtml: true, script }))
    },
    /** Says which code to type on the other screen. */
    sendCode(req: Request, res: Response, code: string, chosen: Language | null): void {
      const language = chosen ?? ownLanguageOf(req)
      const { sso } = textsOf(language)
      const more = fill(sso.codeWorks, { place: brand.name ?? publicUrl.host })
      const form = { action: `${basePath}/sso/start`, button: sso.newCode, language }
      const inGroups = `${code.slice(0, 4)} ${code.slice(4)}`
      const content = { title: sso.codeDone, code: inGroups, text: sso.codeWarning, more, form }
      sendPage(res, formHeaders, htmlOf(language, content))
    },
    /** Shows the page on which a viewer begins a sign-in for another screen. */
    sendCodeStart(req: Request, res: Response): void {
      const language = ownLanguageOf(req)
      const { sso } = textsOf(language)
      const form = { action: `${basePath}/sso/start`, button: fill(sso.signIn, { provider }), language }
      sendPage(res, formHeaders, htmlOf(language, { title: sso.codeTitle, text: sso.codeIntroduction, form }))
    },
    refuse(req: Request, res: Response, refusal: Refusal, chosen: Language | null = null): void {
      const language = chosen ?? ownLanguageOf(req)
      const { window } = textsOf(language)
      const text = errorText(language, refusal.text, { provider })
      const content = { title: window.failedTitle, text, more: window.goBack, reason: reasonOf(refusal) }
      sendPage(res, headers, htmlOf(language, content), refusal)
    },
  }
}

/** The parts that a page does not have. */
const NOTHING = { link: null, form: null, code: null, script: null, more: null, reason: null }

interface WindowContent {
  readonly title: string
  readonly text: string
  /** True if the text is HTML already. */
  readonly isHtml?: boolean
  /** A second sentence. */
  readonly more?: string
  /** The button that begins a sign-in. */
  readonly form?: { readonly action: string; readonly button: string; readonly language: Language }
  readonly code?: string
  readonly link?: { readonly address: string; readonly text: string }
  readonly script?: string
  /** The reason of a refusal, for programs. */
  readonly reason?: string
}
