import { mailEnvironment } from '../../services/mail/environment.ts'
import { startMailServer } from '../../services/mail/mail-server.ts'
import { FIRST_PASSWORD_WAY } from '../../users/password-ways.ts'
import { hiddenIn, type WayIn } from '../../way-in.ts'
import { codeIn } from './start-mail-app.ts'

const MAIL = 'guest@example.com'

export const mailWay: WayIn = {
  name: 'a code by mail',
  async prepare(origin, folder) {
    const { settings } = await FIRST_PASSWORD_WAY.prepare(origin, folder)
    const server = await startMailServer()
    return {
      settings: { ...settings, ...mailEnvironment(server.port), MAIL_SIGN_IN: 'anyone' },
      async signIn(app) {
        const form = await (await app.post('/mail-code', { mail: MAIL, frame: '' })).text()
        const [mail] = await server.received(1)
        const code = mail ? codeIn(mail) : ''
        return app.post('/mail-code/check', { mail: MAIL, frame: hiddenIn(form, 'frame'), code })
      },
    }
  },
}
