import { entryPointAt } from '../../login/entry-point.ts'
import { type FeatureScreens, LONG_NAME } from '../../login/screens/screen.ts'
import { ADA, type LoginApp, START_SECONDS } from '../../login/start-login-app.ts'
import { withDoors } from './entry-point.ts'

type Headers = Readonly<Record<string, string>>

const OPENS = START_SECONDS + 192 * 86_400
const LATER = { windows: [{ opensAtSeconds: OPENS, closesAtSeconds: null }], timeZone: 'Europe/Berlin' }
const PAST = {
  windows: [{ opensAtSeconds: null, closesAtSeconds: START_SECONDS }],
  overUrl: 'https://customer.example/',
}

const refused = async (app: LoginApp, path: string, headers: Headers) =>
  (await app.post(`${path}/sign-in`, ADA, headers)).text

/** The screen of doors that have yet to open. */
export const closedScreens: FeatureScreens = {
  entryPoint: withDoors(entryPointAt('early'), LATER),
  deps: {},
  screens: async (app, headers) => [{ name: 'not open yet', html: await refused(app, '/e/early', headers) }],
}

/** The screen of doors that have closed for good. */
export const overScreens: FeatureScreens = {
  entryPoint: withDoors(entryPointAt('late'), PAST),
  deps: {},
  screens: async (app, headers) => [{ name: 'over', html: await refused(app, '/e/late', headers) }],
}

/** The page of viewers who wait. */
export const waitingScreens: FeatureScreens = {
  entryPoint: withDoors(entryPointAt('waiting'), { ...LATER, hasWaitingRoom: true }),
  deps: {},
  async screens(app, headers) {
    const { location = '' } = await app.post('/e/waiting/sign-in', { ...ADA, username: LONG_NAME }, headers)
    return [{ name: 'waiting, long name', html: (await app.get(location, headers)).text }]
  },
}
