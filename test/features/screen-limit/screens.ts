import { entryPointAt } from '../../login/entry-point.ts'
import type { FeatureScreens } from '../../login/screens/screen.ts'
import { ADA } from '../../login/start-login-app.ts'
import { withScreenLimit } from './entry-point.ts'

const PATH = '/e/one-screen'

/** The screen of a viewer who watches on another device. */
export const otherScreens: FeatureScreens = {
  entryPoint: withScreenLimit(entryPointAt('one-screen')),
  deps: {},
  async screens(app, headers, Cookie) {
    await app.post(`${PATH}/sign-in`, ADA)
    return [{ name: 'other screen', html: (await app.get(PATH, { ...headers, Cookie })).text }]
  },
}
