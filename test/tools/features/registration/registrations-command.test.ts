import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { createRegistrations } from '../../../../src/features/registration/book/registrations.ts'
import { openFileRecords } from '../../../../src/services/guests/file-records.ts'
import { readSettings } from '../../../features/registration/registration-settings.ts'
import { SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../../cli/run-here.ts'

const FIELDS = [
  { name: 'company', kind: 'text', label: 'Company' },
  { name: 'terms', kind: 'consent', label: 'Terms', version: '2026-11' },
]
const BY_HAND = { fields: FIELDS, approval: 'by-hand' }
const nowSeconds = () => Date.now() / 1000

/** Creates a guests store with these guests, and returns the command for it. */
async function withGuests(given: object, addresses: readonly string[], answers: Record<string, string> = {}) {
  const cwd = temporaryFolder()
  const file = join(cwd, 'guests.db')
  const records = openFileRecords(file, { nowSeconds })
  onTestFinished(records.close)
  const settings = readSettings(given)
  const registrations = createRegistrations({ records, entryPoint: 'default', settings, nowSeconds, mailOf: () => [] })
  const consents = [{ name: 'terms', version: '2026-11', atSeconds: 1_795_000_000 }]
  for (const address of addresses) {
    await registrations.register({ address, attributes: { ...answers, terms: '2026-11' }, consents, language: 'en' })
  }
  const env = {
    ...SETTINGS,
    REGISTRATION: JSON.stringify(given),
    GUESTS_STORE_URL: `sqlite:${file}`,
    SMTP_URL: 'smtp://127.0.0.1',
    MAIL_FROM: 'login@example.com',
  }
  const run = (...args: string[]) => runHere(['registrations', ...args], { cwd, env })
  const stateOf = async (address: string) => (await registrations.find(address))?.state
  return { cwd, env, run, records, registrations, stateOf }
}

test('list shows states, numbers and answers, in pages', async () => {
  const { run } = await withGuests({ ...BY_HAND, most: 5 }, ['ada@a.example', 'bob@b.example', 'eve@a.example'], {
    company: 'Acme',
  })
  const first = await run('list', '--limit', '2')
  expect(first).toMatchObject({ status: 0, stderr: '' })
  expect(first.stdout).toContain('3 waiting for approval of 5 places.')
  expect(first.stdout).toMatch(/ada@a\.example +waiting for approval .*company=Acme/)
  expect(first.stdout).toContain('--after bob@b.example')
  const next = JSON.parse((await run('list', '--after', 'bob@b.example', '--json')).stdout)
  expect(next).toMatchObject({ most: 5, next: null, registrations: [{ address: 'eve@a.example' }] })
  const ofDomain = JSON.parse((await run('list', '--domain', 'B.example', '--json')).stdout)
  expect(ofDomain.registrations).toHaveLength(1)
})

test('list says which registrations lead to one mailbox, also those of other pages', async () => {
  const { run } = await withGuests({}, ['ada@a.example', 'a.da+2@a.example', 'ada@b.example', 'x@a.example'])
  const { stdout } = await run('list', '--limit', '1')
  expect(stdout).toContain('a.da+2@a.example (2 of one mailbox)')
  const { registrations } = JSON.parse((await run('list', '--json')).stdout)
  expect(registrations.map((row: { ofMailbox: number }) => row.ofMailbox)).toEqual([2, 2, 1, 1])
})

test('approve --all approves the guests of a domain, with a mail for each, at the pace', async () => {
  const { run, stateOf, records } = await withGuests(BY_HAND, ['ada@a.example', 'bob@b.example', 'eve@a.example'])
  expect(await run('approve', '--all', '--domain', 'a.example', '--per-minute', '6')).toMatchObject({
    status: 0,
    stdout: 'Approved 2 registrations.\n',
  })
  expect(await Promise.all(['ada@a.example', 'bob@b.example'].map(stateOf))).toEqual([
    'approved',
    'waiting-for-approval',
  ])
  const mails = (await records.list('mail-outbox', { limit: 10 })).map(({ text }) => JSON.parse(text).leasedUntilMs)
  expect(Math.round(mails[1] - mails[0])).toBe(10_000)
})

test('a fault of one guest does not stop the others, and the exit status says so', async () => {
  const { run, stateOf } = await withGuests(BY_HAND, ['ada@a.example'])
  const done = await run('approve', 'nobody@a.example', 'ADA@a.example', 'nonsense')
  expect(done.status).toBe(1)
  expect(done.stdout).toBe(
    'Approved 1 registration.\nnobody@a.example is not registered.\nnonsense is not a mail address.\n',
  )
  expect(await stateOf('ada@a.example')).toBe('approved')
  expect(await run('approve', 'ada@a.example')).toMatchObject({ status: 1, stderr: expect.stringContaining('already') })
})

test.each(['refuse', 'cancel', 'forget'] as const)(
  '%s asks at a terminal, and changes nothing without a yes',
  async (step) => {
    const { cwd, env, run, stateOf } = await withGuests(BY_HAND, ['ada@a.example'])
    const terminal = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => terminal })
    setTimeout(() => terminal.write('n'), 50)
    const asked = await runHere(['registrations', step, 'ada@a.example'], { cwd, env, stdin: terminal })
    expect(asked).toMatchObject({ status: 1, stderr: expect.stringContaining('Nothing was changed') })
    expect(await stateOf('ada@a.example')).toBe('waiting-for-approval')
    expect((await run(step, 'ada@a.example')).status).toBe(0)
    expect(await stateOf('ada@a.example')).toBe({ refuse: 'refused', cancel: 'cancelled', forget: undefined }[step])
  },
)

test.each([
  ['refuse', ['ada@a.example']],
  ['refuse', ['--all']],
  ['cancel', ['ada@a.example']],
] as const)('%s %o changes nobody whom another person approves while it asks', async (step, chosen) => {
  const { cwd, env, records, registrations, stateOf } = await withGuests(BY_HAND, ['ada@a.example'])
  let isAsked = false
  // The prompt begins: the command has read the registration.
  const setRawMode = () => {
    if (!isAsked) void registrations.approve('ada@a.example').then(() => terminal.write('y'))
    isAsked = true
    return terminal
  }
  const terminal: PassThrough = Object.assign(new PassThrough(), { isTTY: true, setRawMode })
  const { status, stderr } = await runHere(['registrations', step, ...chosen], { cwd, env, stdin: terminal })
  expect(status).toBe(1)
  expect(stderr).toMatch(/ada@a\.example: another person decided this at \d\d:\d\d UTC: approved\./)
  expect(await stateOf('ada@a.example')).toBe('approved')
  expect(await records.list('mail-outbox', { limit: 10 })).toEqual([])
})

test('cancel gives the place to the waiting list', async () => {
  const { run, stateOf } = await withGuests({ most: 1, waitingList: 'on' }, ['ada@a.example', 'bob@a.example'])
  expect((await run('cancel', 'ada@a.example')).status).toBe(0)
  expect(await stateOf('bob@a.example')).toBe('approved')
})

test('export writes CSV in which no cell is a formula, and which report attendance reads', async () => {
  const { cwd, run } = await withGuests(BY_HAND, ['ada@a.example'], { company: '=HYPERLINK("http://evil.example")' })
  const output = join(cwd, 'guests.csv')
  expect((await run('export', '--excel', '--output', output)).stdout).toContain('Wrote 1 registration')
  const [header, row] = readFileSync(output, 'utf8').split('\r\n')
  expect(header).toBe(
    '\ufeffusername,state,groups,entry_point,registered_at,changed_at,language,company,terms,terms at',
  )
  expect(row).toContain('ada@a.example,waiting-for-approval,,default,')
  expect(row).toContain(`"'=HYPERLINK(""http://evil.example"")"`)
  expect(row).toContain('2026-11,2026-11-18T')
})

test('viewers show knows the registrations of an address', async () => {
  const { cwd, env } = await withGuests(BY_HAND, ['ada@a.example'])
  const shown = await runHere(['viewers', 'show', 'ada@a.example'], { cwd, env })
  expect(shown.stdout).toMatch(/Registration +waiting for approval at default/)
})

test.each([
  [['approve'], 'give addresses, or --all'],
  [['approve', 'ada@a.example', '--domain', 'a.example'], '--domain needs --all'],
  [['list', '--state', 'new'], 'Allowed choices'],
])('%j is wrong usage', async (args, message) => {
  const { run } = await withGuests({}, [])
  expect(await run(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining(message) })
})

test('without a registration, the command says what to set', async () => {
  const { cwd, env } = await withGuests({}, [])
  const ended = await runHere(['registrations', 'list'], { cwd, env: { ...env, REGISTRATION: '' } })
  expect(ended).toMatchObject({ status: 1, stderr: expect.stringContaining('Set REGISTRATION') })
})
