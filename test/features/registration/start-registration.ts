import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { HashEntryPoint } from '../../../src/entry-points/entry-point.ts'
import { createRegistrations } from '../../../src/features/registration/book/registrations.ts'
import { REGISTRATION } from '../../../src/features/registration/settings/settings.ts'
import { openFileRecords } from '../../../src/services/guests/file-records.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { type Answer, type LoginAppOptions, START_SECONDS, startLoginApp } from '../../login/start-login-app.ts'
import { mailSettings, startMailServer, type TestMailServer } from '../../services/mail/mail-server.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { readSettings } from './registration-settings.ts'

/** Three fields in two steps. */
export const FIELDS = [
  { name: 'company', kind: 'text', label: { en: 'Company', de: 'Firma' }, most: 40, required: 'on' },
  { name: 'seat', kind: 'choice', label: 'Seat', options: ['Hall', 'Balcony'], required: 'on' },
  { name: 'terms', kind: 'consent', label: 'I accept the terms', url: 'https://terms.example/', version: '2026-11' },
]
export const ANSWERS = [{ field1: 'Acme', field2: 'Hall' }, { field3: '2026-11' }] as const

/** Returns an entry point with a registration. */
export function withRegistration(given: object, entryPoint: HashEntryPoint = ENTRY_POINT): HashEntryPoint {
  return { ...entryPoint, features: { ...entryPoint.features, [REGISTRATION]: readSettings(given) } }
}

interface Options extends Omit<LoginAppOptions, 'entryPoints'> {
  readonly entryPoints?: readonly HashEntryPoint[]
  readonly guestsFile?: string
  readonly mailServer?: TestMailServer
}

/** Starts the app with a registration, a guests store and a mail server, until the test ends. */
export async function startRegistration(given: object = { fields: FIELDS }, options: Options = {}) {
  const mailServer = options.mailServer ?? (await startMailServer())
  const file = options.guestsFile ?? join(temporaryFolder(), 'guests.db')
  const entryPoints = options.entryPoints ?? [withRegistration(given)]
  const app = await startLoginApp({
    ...options,
    entryPoints,
    featureSettings: {
      mail: { server: mailSettings(mailServer.port) },
      guests: { store: { kind: 'sqlite', file } },
      'mail-code': { mailsPerHour: 10_000 },
      ...options.featureSettings,
    },
  })
  const nowSeconds = options.nowSeconds ?? (() => app.clock.seconds)
  const store = openFileRecords(file, { nowSeconds })
  onTestFinished(store.close)
  const [entryPoint] = entryPoints
  const registrations = createRegistrations({
    records: store,
    entryPoint: entryPoint?.name ?? '',
    settings: entryPoint?.features[REGISTRATION] as ReturnType<typeof readSettings>,
    nowSeconds,
    mailOf: () => [],
  })
  return { app, mailServer, file, store, registrations, ...visitorOf(app, mailServer, entryPoint?.basePath ?? '') }
}

type App = Pick<Awaited<ReturnType<typeof startLoginApp>>, 'get' | 'post'>

/** What a browser without a cookie and a script does. */
export function visitorOf(app: App, mailServer: TestMailServer, basePath: string) {
  const post = (path: string, fields: Readonly<Record<string, string>>) => app.post(`${basePath}${path}`, fields)
  const codesTo = (address: string) => {
    const own = mailServer.mails.filter(({ to }) => to.includes(address.trim().toLowerCase()))
    return own.flatMap(({ text }) => CODE.exec(text)?.[0] ?? [])
  }
  /** Returns the newest code. @param after the number of codes that came before. */
  const codeIn = async (address: string, after = 0): Promise<string> => {
    await expect.poll(() => codesTo(address).length, { interval: 20 }).toBeGreaterThan(after)
    return codesTo(address).at(-1) ?? ''
  }
  /** Types the address. */
  const ask = (address: string) => post('/register', { address })
  /** Types the address and its code. */
  async function prove(address: string): Promise<Answer> {
    const earlier = codesTo(address).length
    const sent = await ask(address)
    return await post('/register/code', { ...hiddenIn(sent), code: await codeIn(address, earlier) })
  }
  /** Types the answers of each step after the form on the screen. */
  async function fillIn(screen: Answer, steps: readonly Readonly<Record<string, string>>[]): Promise<Answer> {
    let last = screen
    for (const answers of steps) last = await post('/register/fields', { ...hiddenIn(last), ...answers })
    return last
  }
  return { post, ask, codeIn, prove, fillIn }
}

const CODE = /\b[2-9A-Z]{4}-[2-9A-Z]{4}\b/

/** Returns the hidden fields of the main form of a screen. */
export function hiddenIn({ text }: Pick<Answer, 'text'>): Record<string, string> {
  const form = /<form class="fields"[\s\S]*?<\/form>/.exec(text)?.[0] ?? ''
  const found = form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value]))
}

/** Returns the reason of a screen for programs. */
export function reasonIn({ text }: Pick<Answer, 'text'>): string | undefined {
  return /<meta name="reason" content="([a-z-]+)">/.exec(text)?.[1]
}

export { START_SECONDS }
