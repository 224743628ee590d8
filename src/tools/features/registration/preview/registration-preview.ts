import type { Registration, RegistrationState } from '../../../../features/registration/book/registration.ts'
import type { Openness, Registrations } from '../../../../features/registration/book/registrations.ts'
import { stepsOf } from '../../../../features/registration/form/form.ts'
import { PATHS } from '../../../../features/registration/form/paths.ts'
import { createFormSeal } from '../../../../features/registration/form/sealed-form.ts'
import { createMails } from '../../../../features/registration/mails.ts'
import { createRegistrationPages } from '../../../../features/registration/screens/pages.ts'
import { registrationPart } from '../../../../features/registration/screens/screen-part.ts'
import type { RegistrationField } from '../../../../features/registration/settings/field.ts'
import type { RegistrationSettings } from '../../../../features/registration/settings/settings.ts'
import { registrationRoutes } from '../../../../features/registration/steps/routes.ts'
import { createCodeCookie } from '../../../../services/mail-code/code-cookie.ts'
import type { FeatureScenes, Screen, ScreenRequest } from '../../../cli/preview/screen.ts'

const ADDRESS = 'ada.lovelace@example.com'
const CODE = '2345-6789'
const WRONG = '9999-9999'
const SHOWN = ['waiting-for-approval', 'on-waiting-list', 'refused', 'cancelled'] as const

const MAILS = ['approved', 'waiting-for-approval', 'on-waiting-list', 'place-free', 'refused', 'cancelled']

/** The state of the registration on the next screen. */
const stage: { openness: Openness } = { openness: 'open' }

/** Returns registrations of which each shown state has one, and which are full. Nothing is stored. */
function previewOf(entryPoint: string, settings: RegistrationSettings): Registrations {
  const unused = () => Promise.reject(new Error('A preview does not change registrations'))
  return {
    settings,
    find: (address) => Promise.resolve(registrationIn(entryPoint, address)),
    openness: () => Promise.resolve(stage.openness),
    register: () => Promise.resolve({ ok: false, reason: 'full' }),
    counts: unused,
    approve: unused,
    refuse: unused,
    cancel: unused,
    forget: unused,
    followDeletesAt: unused,
    moveOn: unused,
    page: unused,
  }
}

/** Returns a registration for an address such as `refused@example.com`. */
function registrationIn(entryPoint: string, address: string): Registration | null {
  const state: RegistrationState | undefined = SHOWN.find((one) => address === addressOf(one))
  if (state === undefined) return null
  const times = { registeredAtSeconds: 0, changedAtSeconds: 0 }
  return { entryPoint, address, state, attributes: {}, consents: [], language: 'en', turn: null, ...times }
}

function addressOf(state: RegistrationState): string {
  return `${state}@example.com`
}

/** The forms of the registration. No mail is sent, and one code is right. */
export const registrationPreview: FeatureScenes = {
  open: (services) => ({
    at: (entryPoint, settings) => ({
      screenPart: registrationPart({ read: () => null }),
      routes: (deps) =>
        registrationRoutes({
          ...deps,
          settings: settings as RegistrationSettings,
          registrations: previewOf(entryPoint.name, settings as RegistrationSettings),
          codes: {
            ask: () => Promise.resolve({ ok: true, secret: 'x'.repeat(43), isLate: false }),
            use: ({ code }) =>
              Promise.resolve(code === CODE ? { ok: true } : { ok: false, reason: 'wrong', triesLeft: 4 }),
          },
          cookie: createCodeCookie(services, 'registration', entryPoint.name),
          formSeal: createFormSeal(services, entryPoint.name),
          pages: createRegistrationPages(deps),
          sessionSeconds: services.sessionSettings.lifetimeSeconds,
        }),
    }),
  }),
  async screens(request, settings) {
    const { app, fields } = request
    const sent = await app.post(PATHS.address, { fields: { ...fields, address: ADDRESS } })
    const wrongAddress = await app.post(PATHS.address, { fields: { ...fields, address: 'ada' } })
    const wrongCode = await prove(request, ADDRESS, WRONG)
    return [
      { name: 'registration', html: (await app.get(PATHS.address, { fields })).html },
      ...(await firstForms(request)),
      { name: 'registration, wrong address', html: wrongAddress.html },
      { name: 'registration, code', html: sent.html },
      { name: 'registration, wrong code', html: wrongCode.html },
      ...(await fieldScreens(request, (settings as RegistrationSettings).fields)),
      ...mailsOf(request),
      ...(await Promise.all(
        SHOWN.map(async (state) => ({
          name: `registration, ${state.replaceAll('-', ' ')}`,
          html: (await prove(request, addressOf(state), CODE)).html,
        })),
      )),
    ]
  },
}

/** Builds the mails to guests. No one gets them. */
function mailsOf({ entryPoint, language }: ScreenRequest): Screen[] {
  const build = createMails(entryPoint, 'login.example', new Map())
  return MAILS.flatMap((name) => {
    const mail = build({ address: ADDRESS, name, language, atMs: 0 })
    return mail === null
      ? []
      : [{ name: `registration, mail: ${name.replaceAll('-', ' ')}`, html: mail.html, isTab: true }]
  })
}

/** Requests the first form of a registration that is closed, full, or has only a waiting list. */
async function firstForms({ app, fields }: ScreenRequest): Promise<Screen[]> {
  const screens: Screen[] = []
  for (const openness of ['closed', 'full', 'waiting-list'] as const) {
    stage.openness = openness
    const { html } = await app.get(PATHS.address, { fields })
    screens.push({ name: `registration, ${openness.replace('-', ' ')}`, html })
  }
  stage.openness = 'open'
  return screens
}

function prove({ app, fields }: ScreenRequest, address: string, code: string) {
  return app.post(PATHS.code, { fields: { ...fields, address, secret: 'x'.repeat(43), code } })
}

/** Goes through the steps of the form, each first with nothing filled in. The last one finds no place. */
async function fieldScreens(request: ScreenRequest, given: readonly RegistrationField[]): Promise<Screen[]> {
  const { app, fields } = request
  let html = (await prove(request, ADDRESS, CODE)).html
  const screens: Screen[] = []
  for (const [index, step] of stepsOf(given).entries()) {
    const name = `registration, step ${index + 1}`
    screens.push({ name, html })
    const hidden = { ...fields, secret: 'x'.repeat(43), form: /name="form" value="([^"]*)"/.exec(html)?.[1] ?? '' }
    const empty = await app.post(PATHS.fields, { fields: hidden })
    if (empty.html.includes('role="alert"')) screens.push({ name: `${name}, left empty`, html: empty.html })
    const answers = Object.fromEntries(step.map(({ field, input }) => [input, answerTo(field)]))
    html = (await app.post(PATHS.fields, { fields: { ...hidden, ...answers } })).html
  }
  return [...screens, { name: 'registration, no places left', html }]
}

function answerTo(field: RegistrationField): string {
  if (field.kind === 'choice') return field.options[0]?.value ?? ''
  if (field.kind === 'consent') return field.version
  return field.kind === 'box' ? 'on' : 'A'
}
