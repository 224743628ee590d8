import { type Request, type Response, Router } from 'express'
import { onlyMethods } from '../../../server/only-methods.ts'
import { showPage, showWrongMethod, wordsOf } from '../page.ts'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly sentAtSeconds: number
}

/** What the service would have sent. In memory only: the links in it are kept nowhere else in the clear. */
export interface Outbox {
  put(mail: Mail): void
  newestFirst(): readonly Mail[]
}

const MOST_MAILS = 20

/** @param generation changes when the emulator goes back to its seed: mails from before are then gone. */
export function createOutbox(generation: () => string): Outbox {
  let mails: { readonly mail: Mail; readonly from: string }[] = []
  return {
    put(mail) {
      mails = [{ mail, from: generation() }, ...mails].slice(0, MOST_MAILS)
    },
    newestFirst() {
      const current = generation()
      return mails.filter(({ from }) => from === current).map(({ mail }) => mail)
    },
  }
}

/** `/account/outbox`: for whoever develops against the emulator. */
export function outboxRoutes(outbox: Outbox): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router
    .route('/account/outbox')
    .get((req: Request, res: Response) => {
      const mails = outbox.newestFirst().map((mail) => ({ ...mail, parts: splitLinks(mail.text) }))
      showPage(res, 'outbox', wordsOf(req, null), { mails })
    })
    .all(onlyMethods('GET, HEAD', showWrongMethod))
  return router
}

/** So that the page can make links of the addresses. */
function splitLinks(text: string): readonly { readonly text: string; readonly isLink: boolean }[] {
  return text.split(/(https?:\/\/\S+)/).map((part, at) => ({ text: part, isLink: at % 2 === 1 }))
}
