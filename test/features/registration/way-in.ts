import { mailEnvironment } from '../../services/mail/environment.ts'
import { startMailServer } from '../../services/mail/mail-server.ts'
import { FIRST_PASSWORD_WAY } from '../../users/password-ways.ts'
import type { WayIn } from '../../way-in.ts'
import { hiddenIn } from './start-registration.ts'

export const registrationWay: WayIn = {
  name: 'a registration',
  async prepare(origin, folder) {
    const { settings } = await FIRST_PASSWORD_WAY.prepare(origin, folder)
    const server = await startMailServer()
    return {
      settings: { ...settings, ...mailEnvironment(server.port), REGISTRATION: '{}' },
      async signIn(app) {
        const form = await (await app.post('/register', { address: 'guest@example.com' })).text()
        const [mail] = await server.received(1)
        const code = /^[2-9A-Z]{4}-[2-9A-Z]{4}$/m.exec(mail?.text ?? '')?.[0] ?? ''
        return app.post('/register/code', { ...hiddenIn({ text: form }), code })
      },
    }
  },
}
