import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { verify } from '@node-rs/argon2'
import express, { type Express } from 'express'
import session from 'express-session'
import helmet from 'helmet'

const PUBLIC = fileURLToPath(new URL('../../public', import.meta.url))

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
  /** Returns the password hash of a viewer; null for an unknown one. */
  readonly passwordHashOf: (username: string) => string | null
  readonly logSignIn: (username: string) => void
}

/** Returns the return address with a response for this viewer. */
export function plainReturnAddress({ returnUrl, hashSecret }: PlainSettings, username: string): string {
  const hashExpire = Math.floor(Date.now() / 1000) + 3600
  const hash = createHash('md5').update(`${username}|${hashExpire}|${hashSecret}`).digest('hex')
  const response = JSON.stringify([{ user: username }, { hashExpire }, { hash }])
  return `${returnUrl}?hash=${encodeURIComponent(response)}`
}

/**
 * The baseline of the login app: the same screen, assets, sign-in and return, written plainly with the same libraries.
 * @param addressFor returns the return address with a token, in place of the address with a response.
 */
export function plainExpress(
  settings: PlainSettings,
  { store, findViewer, passwordHashOf, logSignIn }: PlainDuties,
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
  app.use('/assets', express.static(PUBLIC, { immutable: true, maxAge: '1y' }))
  const cookie = { secure: true, sameSite: 'none', partitioned: true, maxAge: 28_800_000 } as const
  app.use(session({ secret: sessionSecret, resave: false, saveUninitialized: false, store, cookie }))
  app.get('/', (req, res) => {
    const viewer = req.session.viewer && findViewer(req.session.viewer.username)
    if (!viewer) return res.render('plain-sign-in', { title: 'Log in to watch', alert: null, username: '' })
    logSignIn(viewer.username)
    if (addressFor !== undefined) return addressFor(viewer.username).then((address) => res.redirect(303, address))
    const { hashConsumer: returnUrl = settings.returnUrl } = req.query as { readonly hashConsumer?: string }
    return res.redirect(303, plainReturnAddress({ ...settings, returnUrl }, viewer.username))
  })
  app.post('/sign-in', express.urlencoded({ extended: false }), async (req, res) => {
    const { username, password } = req.body as Record<'username' | 'password', string>
    const passwordHash = passwordHashOf(username)
    const viewer = passwordHash !== null && (await verify(passwordHash, password)) ? findViewer(username) : null
    if (!viewer) {
      res.status(401)
      return res.render('plain-sign-in', { title: 'Log in to watch', alert: 'Incorrect password.', username })
    }
    await new Promise<void>((resolve, reject) => req.session.regenerate((error) => (error ? reject(error) : resolve())))
    req.session.viewer = { username, signedInAtSeconds: Math.floor(Date.now() / 1000) }
    logSignIn(username)
    return res.redirect(303, plainReturnAddress(settings, username))
  })
  return app
}
