import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import express, { type Express } from 'express'
import session from 'express-session'
import helmet from 'helmet'

export interface PlainSettings {
  readonly playerOrigin: string
  readonly returnUrl: string
  readonly hashSecret: string
  readonly sessionSecret: string
}

/** Duties of a plain app besides the answer. */
export interface PlainDuties {
  readonly store: session.Store
  /** Returns the viewer of a session as known now; null if there is none. */
  readonly findViewer: (username: string) => { readonly username: string } | null
  readonly logSignIn: (username: string) => void
}

/** The return address with a response for this viewer. */
export function plainReturnAddress({ returnUrl, hashSecret }: PlainSettings, username: string): string {
  const hashExpire = Math.floor(Date.now() / 1000) + 3600
  const hash = createHash('md5').update(`${username}|${hashExpire}|${hashSecret}`).digest('hex')
  const response = JSON.stringify([{ user: username }, { hashExpire }, { hash }])
  return `${returnUrl}?hash=${encodeURIComponent(response)}`
}

/**
 * The baseline of the login app: the same two answers, written plainly with the same libraries.
 * @param addressFor returns the return address with a token, in place of the address with a response.
 */
export function plainExpress(
  settings: PlainSettings,
  { store, findViewer, logSignIn }: PlainDuties,
  addressFor?: (username: string) => Promise<string>,
): Express {
  const { playerOrigin, sessionSecret } = settings
  const app = express()
  app.set('views', fileURLToPath(new URL('.', import.meta.url))).set('view engine', 'ejs')
  app.enable('view cache').set('trust proxy', 1)
  app.use(
    helmet({
      contentSecurityPolicy: { directives: { frameAncestors: [playerOrigin], formAction: ["'self'", playerOrigin] } },
      xFrameOptions: false,
      referrerPolicy: { policy: 'same-origin' },
      crossOriginOpenerPolicy: false,
      crossOriginEmbedderPolicy: true,
      crossOriginResourcePolicy: { policy: 'cross-origin' },
    }),
  )
  const cookie = { secure: true, sameSite: 'none', partitioned: true, maxAge: 28_800_000 } as const
  app.use(session({ secret: sessionSecret, resave: false, saveUninitialized: false, store, cookie }))
  app.get('/', (req, res) => {
    const viewer = req.session.viewer && findViewer(req.session.viewer.username)
    if (!viewer) return res.render('plain-sign-in', { title: 'Log in to watch', alert: null, username: '' })
    logSignIn(viewer.username)
    if (addressFor === undefined) return res.redirect(303, plainReturnAddress(settings, viewer.username))
    return addressFor(viewer.username).then((address) => res.redirect(303, address))
  })
  return app
}
