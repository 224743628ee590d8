import { mailEnvironment } from '../../services/mail/environment.ts'
import { startMailServer } from '../../services/mail/mail-server.ts'
import { FIRST_PASSWORD_WAY } from '../../users/password-ways.ts'
import type { WayIn } from '../../way-in.ts'

export const accountWay: WayIn = {
  name: 'a new password',
  async prepare(origin, folder) {
    const { settings } = await FIRST_PASSWORD_WAY.prepare(origin, folder)
    const { port } = await startMailServer()
    return { settings: { ...settings, ...mailEnvironment(port) } }
  },
}
