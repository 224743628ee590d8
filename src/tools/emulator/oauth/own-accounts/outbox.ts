import { type Request, type Response, Router } from 'express'
import { onlyMethods } from '../../../../server/only-methods.ts'
import { showPage, showWrongMethod, wordsOf } from '../page.ts'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly sentAtSeconds: number
}

/** Mails that the service would send. In memory only, because the database stores only digests of their links. */
export interface Outbox {
  put(mail: Mail): void
  newestFirst(): readonly Mail[]
}

const MAX_MAILS = 20

/**
 * Keeps the last 20 mails.
 * @param generation changes at a reset, which removes all mails.
 */
export function createOutbox(generation: () => string): Outbox {
  let mails: { readonly mail: Mail; readonly from: string }[] = []
  return {
    put(mail) {
      mails = [{ mail, from: generation() }, ...mails].slice(0, MAX_MAILS)
    },
    newestFirst() {
      const current = generation()
      return mails.filter(({ from }) => from === current).map(({ mail }) => mail)
    },
  }
}

/** Route of `/account/outbox`, which shows developers the mails. */
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

/** Splits a text at its addresses, so that the page can link them. */
function splitLinks(text: string): readonly { readonly text: string; readonly isLink: boolean }[] {
  return text.split(/(https?:\/\/\S+)/).map((part, at) => ({ text: part, isLink: at % 2 === 1 }))
}
