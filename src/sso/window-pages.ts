import type ejs from 'ejs'
import type { Request, Response } from 'express'
import type { Brand } from '../brand/brand.ts'
import { fill, type Language, languageOf, type Texts, textsOf } from '../languages/languages.ts'
import { type Headers, unframedHeaders } from '../login/screens/headers.ts'
import { createPages, htmlWithName } from '../login/screens/page.ts'
import { sendPage, type Views } from '../login/screens/screens.ts'

export type WindowFault = keyof Texts['sso']['errors']

export interface WindowRefusal {
  readonly status: number
  readonly text: WindowFault
  readonly retryAfterSeconds?: number
}

/** The pages in the window of a sign-in. They are at the top level, and no page may frame them. */
export interface WindowPages {
  /** Sends the viewer on to the provider, without a script. */
  sendOpening(req: Request, res: Response, address: string): void
  /** Says that the viewer is signed in, and closes the window if scripts are on. */
  sendDone(req: Request, res: Response, username: string, language: Language | null): void
  refuse(req: Request, res: Response, refusal: WindowRefusal, language?: Language | null): void
}

export interface WindowPagesOptions {
  readonly template: ejs.TemplateFunction
  readonly asset: Views['asset']
  readonly brand: Brand
  /** The name of the provider. */
  readonly label: string
  readonly publicUrl: URL
}

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const SCRIPT_POLICY = `${POLICY}; script-src 'self'`

/**
 * Builds the headers of these pages. There is no Cross-Origin-Opener-Policy: with it, a window that inherits a sandbox is
 * an error page. `rel="noopener"` gives what the policy would.
 */
function windowHeaders(publicUrl: URL, policy: string): Headers {
  const { 'Strict-Transport-Security': tls } = unframedHeaders(publicUrl)
  return Object.freeze({
    'Content-Security-Policy': policy,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...(tls !== undefined && { 'Strict-Transport-Security': tls }),
  })
}

/** Creates the pages of one entry point, in every language. */
export function createWindowPages(options: WindowPagesOptions): WindowPages {
  const { template, asset, brand, label: provider, publicUrl } = options
  const pageIn = createPages(brand, asset('icon.svg'))
  const headers = windowHeaders(publicUrl, POLICY)
  const scriptHeaders = windowHeaders(publicUrl, SCRIPT_POLICY)
  const ownLanguageOf = (req: Request) => languageOf(req, brand.defaultLanguage)

  function htmlOf(language: Language, content: WindowContent): string {
    const texts = textsOf(language)
    const title = fill(content.title, { provider })
    const isFault = content.reason !== undefined
    const pageTitle = isFault ? fill(texts.titleWithError, { title }) : title
    const shown = { link: null, script: null, more: null, reason: null, ...content, title, pageTitle, isFault }
    return template({ asset, texts, page: pageIn(language), ...shown })
  }
  return {
    sendOpening(req, res, address) {
      const language = ownLanguageOf(req)
      const { sso } = textsOf(language)
      const link = { address, text: fill(sso.goOn, { provider }) }
      const html = htmlOf(language, { title: sso.openingTitle, text: sso.opening, link })
      sendPage(res, { ...headers, Refresh: `0; url=${address}` }, html)
    },
    sendDone(req, res, username, chosen) {
      const language = chosen ?? ownLanguageOf(req)
      const { sso } = textsOf(language)
      const text = htmlWithName(sso.done, username)
      const script = asset('close-window.js')
      sendPage(res, scriptHeaders, htmlOf(language, { title: sso.doneTitle, text, isHtml: true, script }))
    },
    refuse(req, res, refusal, chosen = null) {
      const language = chosen ?? ownLanguageOf(req)
      const { sso } = textsOf(language)
      const text = fill(sso.errors[refusal.text], { provider })
      const reason = refusal.text.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      sendPage(res, headers, htmlOf(language, { title: sso.failedTitle, text, more: sso.goBack, reason }), refusal)
    },
  }
}

interface WindowContent {
  readonly title: string
  readonly text: string
  /** True if the text is HTML already. */
  readonly isHtml?: boolean
  /** A second sentence. */
  readonly more?: string
  readonly link?: { readonly address: string; readonly text: string }
  readonly script?: string
  /** The reason of a refusal, for programs. */
  readonly reason?: string
}
