import { type Request, type Response, Router } from 'express'
import { isFromOwnPage } from '../../../server/same-origin.ts'
import { hashPassword } from '../../../users/passwords/argon2.ts'
import { usernameKey } from '../../../users/viewer-fields.ts'
import { createAgain } from '../../manager/door/again.ts'
import { formBody, valuesOf } from '../../manager/door/form-body.ts'
import { faultInTyped } from '../../manager/own-account/account-routes.ts'
import { fieldOf, type SignInDeps } from '../../manager/sign-in/sign-in-routes.ts'
import { linksIn } from './link-rows.ts'

const PATH = '/join'

/** Creates the page of a link: it asks for a new password once, and leads to the second step. */
export function joinRoutes(deps: SignInDeps): Router {
  const { store, sessions, renderer, wordsFor, logAct, addressOf, origin, nowSeconds } = deps
  const links = linksIn(store)
  const again = createAgain<string | null>((id) => id === null)
  const router = Router({ caseSensitive: true, strict: true })

  function show(req: Request, res: Response, typed: string, status = 200, fault = ''): void {
    const words = wordsFor(req)
    const link = links.find(typed, nowSeconds())
    if (link === null) {
      const { deadTitle: title, dead: text } = words.t.colleagues
      renderer.send(res, { words }, 'message', { title, text, back: '/sign-in' }, 410)
      return
    }
    const token = sessions.signInToken(req, res)
    const model = { title: words.t.colleagues.joinTitle, token, typed, link, fault: fault && words.say(fault) }
    renderer.send(res, { words }, 'colleagues/join', model, status)
  }
  // Changes nothing: programs that check mails open links too.
  router.get(PATH, (req, res) => show(req, res, valuesOf(req.query).get('link')?.[0] ?? ''))
  router.post(PATH, formBody, async (req, res) => {
    const browser = JSON.stringify([isFromOwnPage(req.headers, origin), req.headers.cookie])
    const form = { values: valuesOf(req.body ?? {}), upload: null }
    const { answer, isAgain } = again(browser, PATH, form, () => joined(req, res))
    const id = await answer
    if (id === null) return isAgain ? show(req, res, fieldOf(req)('link')) : undefined
    sessions.give(res, id)
    res.redirect(303, '/second-step')
  })
  /** Sets the password, and returns the id of the session that begins. Returns null if it refused, and answered. */
  async function joined(req: Request, res: Response): Promise<string | null> {
    const field = fieldOf(req)
    const address = addressOf(req)
    const link = links.find(field('link'), nowSeconds())
    const refuse = (detail: string, status = 410, fault = '') => {
      logAct({ act: 'link-used', outcome: 'refused', manager: null, name: link?.name, address, detail })
      show(req, res, field('link'), status, fault)
      return null
    }
    if (!isFromOwnPage(req.headers, origin) || !sessions.isSignInToken(req, field('token')))
      return refuse('token', 403, 'signIn.stale')
    if (link === null) return refuse('link')
    const fault = await faultInTyped(field, link.name)
    if (fault !== null) return refuse('password', 400, fault)
    const hash = await hashPassword(field('newPassword'))
    if (!links.use(link, hash)) return refuse('link')
    logAct({ act: 'link-used', outcome: 'done', manager: link, address })
    return sessions.start(req, usernameKey(link.name), false)
  }
  return router
}
