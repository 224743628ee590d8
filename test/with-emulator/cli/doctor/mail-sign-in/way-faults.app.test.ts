import { join } from 'node:path'
import type { SMTPServerOptions } from 'smtp-server'
import { codeIn } from '../../../../features/mail-sign-in/start-mail-app.ts'
import { rowsFor } from '../../../../rows.ts'
import { mailEnvironment } from '../../../../services/mail/environment.ts'
import { startMailServer } from '../../../../services/mail/mail-server.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { testFaults } from '../faults/fault-tests.ts'
import type { BadProxy, Fault } from '../faults/installation.ts'
import { loseGuestStore } from '../faults/lose-guest-store.ts'

type Settings = Readonly<Record<string, string>>

const GUEST = 'guest@example.com'
const ARRIVAL = 'unknown mail-arrival'

/** A mail server that answers recipients with this status, as long as there is one. */
const answering = (statusOf: (recipient: string) => number | null) => (): SMTPServerOptions => ({
  onRcptTo({ address }, _session, done) {
    const responseCode = statusOf(address)
    done(responseCode === null ? null : Object.assign(new Error('Not now'), { responseCode }))
  },
})

/** An entry point with codes by mail alone, whose server takes each mail. */
function withMail(
  changed: Settings = {},
  options: () => SMTPServerOptions = () => ({}),
): Omit<Fault, 'name' | 'findings'> {
  let mails: Awaited<ReturnType<typeof startMailServer>>['mails'] = []
  let earlier = 0
  return {
    async settings() {
      const chosen = options()
      const server = await startMailServer(chosen)
      mails = server.mails
      const guests = { MAIL_SIGN_IN: 'list', MAIL_GUESTS: GUEST, PASSWORD_FORM: 'off' }
      const GUESTS_STORE_URL = `sqlite:${join(temporaryFolder(), 'guests.db')}`
      const SMTP_URL = `smtp://ada:wrong@localhost:${server.port}`
      const login = chosen.onAuth === undefined ? {} : { SMTP_URL }
      return { ...mailEnvironment(server.port), ...login, ...guests, GUESTS_STORE_URL, ...changed }
    },
    tries: ['--mail-to', GUEST],
    async viewer({ screen, type }) {
      if (await screen.$('#mail')) earlier = mails.length
      await type({ '#mail': GUEST })
      const mail = mails.length > earlier ? mails.at(-1) : undefined
      if (mail) await type({ '#code': codeIn(mail) })
    },
  }
}

const blocking = (path: string): Pick<Fault, 'proxy'> => ({
  proxy: { instead: (req, res) => req.url === path && Boolean(res.writeHead(403).end('<h1>Forbidden</h1>')) },
})
const changing = (from: string, to: string): { readonly proxy: BadProxy } => ({
  proxy: { text: (html) => html.replaceAll(from, to) },
})

/** Greylisting: the first mail of a sender to a recipient comes too early. */
function greylisting(): SMTPServerOptions {
  const seen = new Map<string, number>()
  return answering((recipient) => {
    const firstMs = seen.get(recipient) ?? Date.now()
    seen.set(recipient, firstMs)
    return Date.now() - firstMs > 5_000 ? null : 450
  })()
}

/** A viewer who waits for the mail. */
const patient = ({ viewer, ...rest }: ReturnType<typeof withMail>): ReturnType<typeof withMail> => ({
  ...rest,
  async viewer(hand, installation) {
    await viewer?.(hand, installation)
    return `waiting since ${Math.floor(performance.now() / 1000)}`
  },
})

const TELLING: readonly Fault[] = [
  { name: 'control: a code by mail is the only way in', ...withMail(), findings: [ARRIVAL] },
  {
    name: 'the mail server refuses each recipient',
    ...withMail(
      {},
      answering(() => 550),
    ),
    findings: ['failure mail-refused'],
  },
  {
    name: 'the mail server takes the first mail to a guest only later',
    ...patient(withMail({}, greylisting)),
    tries: ['--mail-to', 'operator@example.com'],
    findings: ['unknown mail-later'],
  },
  {
    name: 'a firewall answers the form with the mail address',
    ...withMail(),
    ...blocking('/mail-code'),
    findings: [ARRIVAL, 'failure not-the-app'],
  },
  {
    name: 'a firewall answers the form with the code of the mail',
    ...withMail(),
    ...blocking('/mail-code/check'),
    findings: [ARRIVAL, 'failure not-the-app'],
  },
  {
    name: 'a proxy renames the field for the mail address',
    ...withMail(),
    ...changing('name="mail"', 'name="email"'),
    findings: [ARRIVAL, 'failure form-fields-changed'],
  },
  {
    name: 'the mail server is away, and passwords work',
    ...withMail({ PASSWORD_FORM: 'on', FIRST_WAY: 'mail-sign-in', SMTP_URL: 'smtp://localhost:9' }),
    tries: ['--viewer', 'ada@example.com', '--mail-to', GUEST],
    findings: ['failure mail-away'],
  },
]

const OTHERS: readonly Fault[] = [
  {
    name: 'the mail server refuses the guests, but not the address of the doctor',
    ...withMail(
      {},
      answering((recipient) => (recipient === GUEST ? 550 : null)),
    ),
    tries: ['--mail-to', 'operator@example.com'],
    findings: [ARRIVAL],
  },
  {
    name: 'the mail server takes mails and loses them',
    ...withMail({}, () => ({ onData: (stream, _session, done) => void stream.resume().on('end', () => done()) })),
    findings: [ARRIVAL],
  },
  {
    name: 'the mail server is full',
    ...withMail(
      {},
      answering(() => 452),
    ),
    findings: ['unknown mail-later'],
  },
  {
    name: 'the mail server refuses the login',
    ...withMail({}, () => ({ onAuth: (_auth, _session, done) => done(new Error('Wrong')), allowInsecureAuth: true })),
    findings: ['failure mail-login'],
  },
  {
    name: 'the mail server says nothing',
    ...withMail({}, () => ({ onConnect: () => {} })),
    findings: ['failure mail-away'],
  },
  {
    name: 'the guests store has lost its table',
    ...withMail(),
    afterwards: loseGuestStore,
    findings: [ARRIVAL, 'failure store-away'],
  },
  {
    name: 'guests of another domain get a code',
    ...withMail({ MAIL_GUESTS: '*@guests.example' }),
    findings: [ARRIVAL],
  },
  {
    name: 'a proxy drops the form with the mail address',
    ...withMail(),
    proxy: { dropsBody: true },
    findings: [ARRIVAL, 'failure form-changed'],
  },
  {
    name: 'no code by mail is tried beside the password',
    ...withMail({ PASSWORD_FORM: 'on' }),
    tries: ['--viewer', 'ada@example.com'],
    findings: ['unknown no-sign-in'],
  },
  {
    name: 'control: codes by mail with a brand, a title and a link for help',
    ...withMail({ BRAND_NAME: 'Lakeside', BRAND_TITLE: 'Gala', HELP_URL: 'https://help.example/' }),
    findings: [ARRIVAL],
  },
]

testFaults('codes by mail', rowsFor(TELLING, OTHERS))
