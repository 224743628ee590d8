import type ejs from 'ejs'
import type { Request, Response } from 'express'
import { languageOf, textsOf } from '../../languages/languages.ts'
import type { PlayerContext } from '../../login/request/player-context.ts'
import type { EntryPointDeps } from '../../login/route-deps.ts'
import { assetAddress } from '../../login/screens/assets.ts'
import { createPages } from '../../login/screens/page.ts'
import { sendPage } from '../../login/screens/send.ts'

export interface OtherScreen {
  readonly context: PlayerContext
  /** True for a viewer whom the player sent back: the video has stopped. */
  readonly isReturn: boolean
  /** The sign-in, sealed. Null if the viewer has a session. */
  readonly pass: string | null
}

export type SendOtherScreen = (req: Request, res: Response, screen: OtherScreen) => void

/** Creates the screen that says that the viewer watches elsewhere. Its button is a post, so no address can press it. */
export function createOtherScreen(
  { entryPoint, headersFor }: Pick<EntryPointDeps, 'entryPoint' | 'headersFor'>,
  template: ejs.TemplateFunction,
): SendOtherScreen {
  const { brand, basePath } = entryPoint
  const pageIn = createPages(brand, assetAddress('icon.svg'))
  return (req, res, { context: { address, fields }, isReturn, pass }) => {
    const language = languageOf(req, brand.defaultLanguage)
    const texts = textsOf(language)
    const { title, stopped, instead } = texts['screen-limit']
    const page = pageIn(language)
    const shown = {
      asset: assetAddress,
      basePath,
      page,
      texts,
      title,
      pageTitle: title,
      fields,
      reason: 'other-screen',
    }
    const text = isReturn ? stopped : instead
    sendPage(res, headersFor(address.origin), template({ ...shown, text, pass }), { status: 403 })
  }
}
