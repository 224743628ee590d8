import { entryPointAt } from '../../login/entry-point.ts'
import { type FeatureScreens, LONG_NAME } from '../../login/screens/screen.ts'
import { ADA, type LoginApp, START_SECONDS } from '../../login/start-login-app.ts'
import { withDoors } from './entry-point.ts'

type Headers = Readonly<Record<string, string>>

const OPENS = START_SECONDS + 192 * 86_400
const LATER = { windows: [{ opensAtSeconds: OPENS, closesAtSeconds: null }], timeZone: 'Europe/Berlin' }
/** Of as many characters as a message may have. */
const MESSAGE = {
  en: 'Because of a technical problem we start at 20:15 only. We are sorry! Please stay with us on the page',
  de: 'Wegen technischer Schwierigkeiten beginnen wir erst um 20:15 Uhr. Bitte bleiben Sie auf dieser Seite',
  ar: 'بسبب مشكلة فنية سنبدأ في الساعة 20:15 فقط. نعتذر عن ذلك! يرجى البقاء معنا في هذه الصفحة حتى نبدأ معا',
}
const PAST = {
  windows: [{ opensAtSeconds: null, closesAtSeconds: START_SECONDS }],
  overUrl: 'https://customer.example/',
}

const refused = async (app: LoginApp, path: string, headers: Headers) =>
  (await app.post(`${path}/sign-in`, ADA, headers)).text

/** The screen of doors that have yet to open. */
export const closedScreens: FeatureScreens = {
  entryPoint: withDoors(entryPointAt('early'), { ...LATER, message: MESSAGE }),
  deps: {},
  screens: async (app, headers) => [{ name: 'not open yet', html: await refused(app, '/e/early', headers) }],
}

/** The screen of doors that have closed for good. */
export const overScreens: FeatureScreens = {
  entryPoint: withDoors(entryPointAt('late'), PAST),
  deps: {},
  screens: async (app, headers) => [{ name: 'over', html: await refused(app, '/e/late', headers) }],
}

function waitingAt(name: string, message: typeof MESSAGE | null, event?: string): FeatureScreens {
  return {
    entryPoint: withDoors({ ...entryPointAt(name), features: { event } }, { ...LATER, hasWaitingRoom: true, message }),
    deps: {},
    async screens(app, headers) {
      const { location = '' } = await app.post(`/e/${name}/sign-in`, { ...ADA, username: LONG_NAME }, headers)
      return [{ name: `${name}, long name`, html: (await app.get(location, headers)).text }]
    },
  }
}

/** The page of viewers who wait. */
export const waitingScreens = waitingAt('waiting', null, 'General meeting of Aurora Sports')
export const messageScreens = waitingAt('waiting-message', MESSAGE)
