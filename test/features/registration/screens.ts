import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFormSeal } from '../../../src/features/registration/form/sealed-form.ts'
import { entryPointAt } from '../../login/entry-point.ts'
import { type FeatureScreens, LONG_NAME } from '../../login/screens/screen.ts'
import type { LoginApp } from '../../login/start-login-app.ts'
import { mailSettings } from '../../services/mail/mail-server.ts'
import { lateForm, nextAddress } from '../../services/mail-code/late-form.ts'
import { hiddenIn, withRegistration } from './start-registration.ts'

const PATH = '/e/event'
const folder = mkdtempSync(join(tmpdir(), 'registration-screens-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

/** Six fields in three steps, with labels as long as real ones. */
const FIELDS = [
  { name: 'company', kind: 'text', label: 'Company or organization', required: 'on', autocomplete: 'organization' },
  { name: 'job', kind: 'text', label: 'Your job' },
  { name: 'seat', kind: 'choice', label: 'Where do you sit?', options: ['In the hall', 'On the balcony'] },
  { name: 'country', kind: 'choice', label: 'Country', options: ['Germany', 'Japan'], required: 'on' },
  { name: 'news', kind: 'box', label: 'Tell me about other events of this series by email' },
  {
    name: 'terms',
    kind: 'consent',
    label: 'I accept the terms of the event',
    version: '1',
    url: 'https://terms.example/',
    document: 'Terms and privacy policy',
  },
]
const SECRET = 'A'.repeat(43)
const entryPoint = withRegistration({ fields: FIELDS, most: 1_000 }, entryPointAt('event'))
const full = withRegistration({ fields: FIELDS, closesAt: '2020-01-01T00:00Z' }, entryPointAt('event'))

const SETTINGS_OF_SCREENS = {
  guests: { store: { kind: 'sqlite', file: join(folder, 'guests.db') } },
  mail: { server: mailSettings(9) },
  'mail-code': { mailsPerHour: 1 },
}

type Headers = Readonly<Record<string, string>>

/** Returns the form of a step, sealed as the app seals it. */
function formOf(step: number, nowSeconds: number): Record<string, string> {
  const services = {
    publicUrl: new URL('http://localhost'),
    sessionSettings: { secrets: ['SESSIONSECRETMARKER-8d2b'], lifetimeSeconds: 1 },
    nowSeconds: () => nowSeconds,
  }
  const { seal } = createFormSeal(services, 'event')
  const form = { address: LONG_NAME, answers: {}, step, provenAtSeconds: nowSeconds }
  return { secret: SECRET, form: seal(form, SECRET) }
}

async function screensOf(app: LoginApp, headers: Headers) {
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    app.post(`${PATH}/register${path}`, fields, headers)
  const sent = await post('', { address: nextAddress() })
  const late = await lateForm((address) => post('', { address }), '</bdi> ')
  const steps = [0, 1, 2].map((step) =>
    post('/fields', { ...formOf(step, app.clock.seconds), field1: 'x'.repeat(150), field3: '?', field5: '?' }),
  )
  for (const step of steps) {
    if (!(await step).text.includes('name="form"')) throw new Error('A step of the form is not shown')
  }
  const screens = {
    'register: address': await app.get(`${PATH}/register`, headers),
    'register: wrong address': await post('', { address: LONG_NAME.replace('@', ' at ') }),
    'register: code': sent,
    'register: late code': late,
    'register: wrong code': await post('/code', { ...hiddenIn(sent), code: 'AAAA-AAAA' }),
    'register: first step after a fault': await steps[0],
    'register: second step after a fault': await steps[1],
    'register: last step after a fault': await steps[2],
  }
  return Object.entries(screens).flatMap(([name, screen]) =>
    screen === undefined ? [] : [{ name, html: screen.text }],
  )
}

/** The forms of a registration. */
export const registrationScreens: FeatureScreens = {
  entryPoint,
  deps: { featureSettings: SETTINGS_OF_SCREENS },
  screens: screensOf,
}

/** The form of a registration that is closed. */
export const closedRegistration: FeatureScreens = {
  entryPoint: { ...full, name: 'shut', basePath: '/e/shut' },
  deps: { featureSettings: SETTINGS_OF_SCREENS },
  screens: async (app, headers) => [
    { name: 'register: closed', html: (await app.get('/e/shut/register', headers)).text },
  ],
}
