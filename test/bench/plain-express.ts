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

/** The baseline of the login app: the same two answers, written plainly with the same libraries. */
export function plainExpress(settings: PlainSettings, store: session.Store): Express {
  const { playerOrigin, returnUrl, hashSecret, sessionSecret } = settings
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
    const { viewer } = req.session
    if (!viewer) return res.render('plain-sign-in', { title: 'Log in to watch', alert: null, username: '' })
    const hashExpire = Math.floor(Date.now() / 1000) + 3600
    const hash = createHash('md5').update(`${viewer.username}|${hashExpire}|${hashSecret}`).digest('hex')
    const response = JSON.stringify([{ user: viewer.username }, { hashExpire }, { hash }])
    res.redirect(303, `${returnUrl}?hash=${encodeURIComponent(response)}`)
  })
  return app
}
