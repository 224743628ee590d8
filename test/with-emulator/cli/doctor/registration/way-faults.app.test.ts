import { join } from 'node:path'
import type { SMTPServerOptions } from 'smtp-server'
import { rowsFor } from '../../../../rows.ts'
import { mailEnvironment } from '../../../../services/mail/environment.ts'
import { startMailServer } from '../../../../services/mail/mail-server.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { testFaults } from '../faults/fault-tests.ts'
import type { Fault } from '../faults/installation.ts'
import { loseGuestStore } from '../faults/lose-guest-store.ts'

type Settings = Readonly<Record<string, string>>

const OPERATOR = 'operator@example.com'
const ARRIVAL = 'unknown mail-arrival'
const DOUBTFUL = 'warning setting-doubtful'
const CODE = /\b[2-9A-Z]{4}-[2-9A-Z]{4}\b/

/** An entry point with a registration alone. Each viewer is a new guest. */
function withRegistration(
  registration: object = {},
  changed: Settings = {},
  options: SMTPServerOptions = {},
): Omit<Fault, 'name' | 'findings'> {
  let mails: Awaited<ReturnType<typeof startMailServer>>['mails'] = []
  let guests = 0
  return {
    async settings() {
      const server = await startMailServer(options)
      mails = server.mails
      const REGISTRATION = JSON.stringify(registration)
      const GUESTS_STORE_URL = `sqlite:${join(temporaryFolder(), 'guests.db')}`
      return { ...mailEnvironment(server.port), REGISTRATION, GUESTS_STORE_URL, PASSWORD_FORM: 'off', ...changed }
    },
    tries: ['--mail-to', OPERATOR],
    async viewer({ screen, type, press }) {
      await press('a[href*="/register"]')
      if (await screen.$('#address')) guests += 1
      await type({ '#address': `guest${guests}@example.com` })
      const mail = mails.find(({ to, text }) => to.includes(`guest${guests}@example.com`) && CODE.test(text))
      if (mail) await type({ '#code': CODE.exec(mail.text)?.[0] ?? '' })
    },
  }
}

const blocking = (isBlocked: (request: string) => boolean): Pick<Fault, 'proxy'> => ({
  proxy: {
    instead: ({ method, url = '' }, res) =>
      isBlocked(`${method} ${url.split('?')[0]}`) && Boolean(res.writeHead(403).end('<h1>Forbidden</h1>')),
  },
})
const refusing = (responseCode: number): SMTPServerOptions => ({
  onRcptTo: (_recipient, _session, done) => done(Object.assign(new Error('No'), { responseCode })),
})

const TELLING: readonly Fault[] = [
  { name: 'control: a registration is the only way in', ...withRegistration(), findings: [ARRIVAL] },
  {
    name: 'a firewall answers the form with the code of a registration',
    ...withRegistration(),
    ...blocking((request) => request === 'POST /register/code'),
    findings: [ARRIVAL, 'failure not-the-app'],
  },
  {
    name: 'a proxy renames the field for the address of a registration',
    ...withRegistration(),
    proxy: { text: (html) => html.replaceAll('name="address"', 'name="mail"') },
    findings: [ARRIVAL, 'failure form-fields-changed'],
  },
  {
    name: 'the registrations are over and deleted',
    ...withRegistration({ deletesAt: '2026-01-01T00:00Z' }),
    findings: [DOUBTFUL, ARRIVAL, 'failure registration-over'],
  },
]

const OTHERS: readonly Fault[] = [
  {
    name: 'a firewall answers the form with the address of a registration',
    ...withRegistration(),
    ...blocking((request) => request === 'POST /register'),
    findings: [ARRIVAL, 'failure not-the-app'],
  },
  {
    name: 'a firewall answers the page of the registration',
    ...withRegistration(),
    ...blocking((request) => request === 'GET /register'),
    findings: [ARRIVAL, 'failure no-registration-form'],
  },
  {
    name: 'the registration is closed',
    ...withRegistration({ closesAt: '2026-01-01T00:00Z' }),
    findings: [DOUBTFUL, ARRIVAL, 'warning registration-closed'],
  },
  {
    name: 'guests of a registration are in none of the groups',
    ...withRegistration({}, { ALLOWED_GROUPS: 'gold' }),
    findings: [ARRIVAL],
  },
  {
    name: 'guests of a registration wait for an approval by hand',
    ...withRegistration({ approval: 'by-hand' }),
    findings: [ARRIVAL],
  },
  {
    name: 'the mail server refuses registered guests too',
    ...withRegistration({}, {}, refusing(550)),
    findings: ['failure mail-refused'],
  },
  {
    name: 'the guests store has lost its table',
    ...withRegistration(),
    afterwards: loseGuestStore,
    findings: [ARRIVAL, 'failure no-registration-form', 'failure store-away'],
  },
  {
    name: 'no mail is tried for a registration',
    ...withRegistration(),
    tries: [],
    findings: ['unknown no-sign-in'],
  },
  {
    name: 'a proxy drops the form with the address of a registration',
    ...withRegistration(),
    proxy: { dropsBody: true },
    findings: [ARRIVAL, 'failure form-changed'],
  },
  {
    name: 'control: a registration with a brand and a waiting list',
    ...withRegistration({ most: 100, waitingList: 'on' }, { BRAND_NAME: 'Lakeside', TERMS_URL: 'https://a.example/' }),
    findings: [ARRIVAL],
  },
]

testFaults('a registration', rowsFor(TELLING, OTHERS))
