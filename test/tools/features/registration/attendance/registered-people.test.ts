import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createRegistrations } from '../../../../../src/features/registration/book/registrations.ts'
import { openFileRecords } from '../../../../../src/services/guests/file-records.ts'
import { registeredPeople } from '../../../../../src/tools/features/registration/attendance/registered-people.ts'
import { readSettings } from '../../../../features/registration/registration-settings.ts'
import { SETTINGS } from '../../../../settings.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { startViewsService } from '../../../cli/report/attendance/views-service.ts'
import { runHere } from '../../../cli/run-here.ts'

const GIVEN = {
  fields: [{ name: 'company', kind: 'text', label: 'Company', required: 'off' }],
  approval: 'domains',
  domains: ['a.example'],
  group: 'guests',
}
const nowSeconds = () => Date.now() / 1000
const NOTHING = { identifier: undefined, by: undefined, groups: [] }

/** Creates a guests store with these registrations. Returns a command's view of its settings. */
async function withGuests(companies: Readonly<Record<string, string>>) {
  const file = join(temporaryFolder(), 'guests.db')
  const records = openFileRecords(file, { nowSeconds })
  onTestFinished(records.close)
  const settings = readSettings(GIVEN)
  const registrations = createRegistrations({ records, entryPoint: 'default', settings, nowSeconds, mailOf: () => [] })
  for (const [address, company] of Object.entries(companies)) {
    const attributes = company === '' ? {} : { company }
    await registrations.register({ address, attributes, consents: [], language: 'en' })
  }
  const mail = { SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM: 'login@example.com' }
  const env = { ...SETTINGS, ...mail, REGISTRATION: JSON.stringify(GIVEN), GUESTS_STORE_URL: `sqlite:${file}` }
  return { registrations, env, io: { env } as unknown as Parameters<typeof registeredPeople>[0] }
}

test('the invited people are the approved guests, counted by an answer of the form or by group', async () => {
  const { io, registrations } = await withGuests({
    'ada@a.example': 'Acme',
    'bob@a.example': '',
    'cancelled@a.example': 'Acme',
    'waits@b.example': 'Acme',
  })
  await registrations.cancel('cancelled@a.example')
  const byCompany = await registeredPeople(io, { ...NOTHING, by: 'company' })
  expect(byCompany).toEqual([
    { username: 'ada@a.example', identifier: 'ada@a.example', groups: ['guests'], values: ['Acme'], isInvited: true },
    { username: 'bob@a.example', identifier: 'bob@a.example', groups: ['guests'], values: [], isInvited: true },
  ])
  const ofCompany = await registeredPeople(io, { ...NOTHING, identifier: 'company' })
  expect(ofCompany.map(({ identifier }) => identifier)).toEqual(['Acme', null])
  const ofGroup = await registeredPeople(io, { ...NOTHING, groups: ['staff'] })
  expect(ofGroup.map(({ isInvited }) => isInvited)).toEqual([false, false])
})

test('report attendance tells which registered guests came', async () => {
  const { env } = await withGuests({ 'ada@a.example': 'Acme', 'bob@a.example': '', 'waits@b.example': 'Acme' })
  const startSeconds = Date.parse('2026-11-20T18:00:00Z') / 1000
  const watched = {
    client: 'phone',
    type: 'live',
    content: '1001',
    startSeconds,
    endSeconds: startSeconds + 600,
  } as const
  const service = await startViewsService([{ ...watched, name: 'ada@a.example' }])
  const evening = ['--channel', '1001', '--from', '2026-11-20T18:00:00Z', '--to', '2026-11-20T20:00:00Z']
  const args = ['report', 'attendance', ...evening, '--invited', 'registrations', '--json']
  const { stdout, stderr } = await runHere(args, { cwd: temporaryFolder(), env: { ...env, ...service.env } })
  expect(JSON.parse(stdout)).toMatchObject([
    { viewer: 'ada@a.example', status: 'came' },
    { viewer: 'bob@a.example', status: 'missing' },
  ])
  expect(stderr).toContain('Of 2 invited, 1 came, 1 missing.')
})

test('no approved guest is a fault, not an empty report', async () => {
  const { io } = await withGuests({ 'waits@b.example': 'Acme' })
  await expect(registeredPeople(io, NOTHING)).rejects.toThrow('--invited registrations: there is no approved')
})
