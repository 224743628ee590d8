import { FIRST_PASSWORD_WAY } from '../../users/password-ways.ts'
import { hiddenIn, type WayIn } from '../../way-in.ts'
import { CLIENT, startProvider } from './start-provider.ts'
import { openVisitor } from './visitor.ts'

export const ssoWay: WayIn = {
  name: 'single sign-on',
  async prepare(origin, folder) {
    const { settings } = await FIRST_PASSWORD_WAY.prepare(origin, folder)
    const { issuer } = await startProvider({ redirectUri: `${origin}/sso/callback`, signsIn: 'ada' })
    const oidc = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.clientId, OIDC_CLIENT_SECRET: CLIENT.secret }
    return {
      settings: { ...settings, ...oidc },
      async signIn(app) {
        const screen = await app.read('/')
        const started = await app.post('/sso/start', { flow: hiddenIn(screen, 'flow') })
        const cookie = started.headers
          .getSetCookie()
          .map((one) => one.split(';')[0])
          .join('; ')
        const address = started.headers.get('refresh')?.replace('0; url=', '') ?? ''
        const { url } = await openVisitor().follow(address)
        await fetch(url, { headers: { cookie } })
        return app.post('/sso/continue', { wait: hiddenIn(screen, 'wait') })
      },
    }
  },
}
