import { FIRST_PASSWORD_WAY } from '../../users/password-ways.ts'
import { hiddenIn, type WayIn } from '../../way-in.ts'

export const passkeyWay: WayIn = {
  name: 'a passkey, up to its window',
  async prepare(origin, folder) {
    const { settings } = await FIRST_PASSWORD_WAY.prepare(origin, folder)
    return {
      settings: { ...settings, PASSKEYS: 'on' },
      async signIn(app) {
        return app.post('/passkey/start', { flow: hiddenIn(await app.read('/?prompt=passkey'), 'flow') })
      },
    }
  },
}
