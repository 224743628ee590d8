import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCodeStore } from '../../../src/features/access-codes/codes/code-store.ts'
import { createRegistrations } from '../../../src/features/registration/book/registrations.ts'
import { openFileRecords } from '../../../src/services/guests/file-records.ts'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { startApp } from '../../faults/app-program.ts'
import { readSettings } from '../../features/registration/registration-settings.ts'
import { SETTINGS } from '../../settings.ts'
import { runHere } from '../../tools/cli/run-here.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const ADA = 'ada.lovelace@example.com'
const NAME = 'Augusta Byron'
const PASSWORD = 'correct horse battery'
const nowSeconds = () => Date.now() / 1000
const person = (number: number) => `person-${number}@example.com`

/** Fills all stores of a data folder: the person among many others, so that rows move between the pages of the files. */
async function dataFolder() {
  const cwd = temporaryFolder()
  const at = (name: string) => join(cwd, name)
  writeFileSync(at('guests.csv'), `email\n${ADA}\n`)
  const env = {
    ...SETTINGS,
    USER_STORE_URL: `sqlite:${at('viewers.db')}`,
    SESSION_STORE_URL: `sqlite:${at('sessions.db')}`,
    LIMITS_STORE_URL: `sqlite:${at('limits.db')}`,
    GUESTS_STORE_URL: `sqlite:${at('guests.db')}`,
    SECURITY_LOG_FILE: at('security.log'),
    MANAGER_LOG_FILE: at('manager.log'),
    REGISTRATION: '{}',
    ACCESS_CODES: 'on',
    ACCESS_CODE_KEY: '7f3e9d1c5b2a48067985a4b3c2d1e0ff',
    WATCH_URL: 'https://www.example.com/live',
    MAIL_SIGN_IN: 'list',
    MAIL_GUESTS_FILE: at('guests.csv'),
    SCREENS_PER_VIEWER: '1',
    // No server listens: mails wait.
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'login@example.com',
  }
  const users = openEditableSqliteStore(at('viewers.db'))
  const names = Array.from({ length: 120 }, (_, index) => person(index))
  const hash = '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b4dWRWJTmaaJObGQ9RPmC/Y1uY'
  const imported = names.map((username) => ({ username, passwordHash: hash, groups: [], disabled: false }))
  await users.importBatch(
    imported.map((one) => ({ ...one, attributes: { mail: one.username, department: 'x'.repeat(50) } })),
    'keep',
  )
  await users.add({ username: ADA, groups: ['press'], attributes: { mail: ADA, realName: NAME } }, PASSWORD)
  await users.close()
  const records = openFileRecords(at('guests.db'), { nowSeconds })
  for (const entryPoint of ['default', 'of-an-earlier-event']) {
    const settings = readSettings({})
    const registrations = createRegistrations({ records, entryPoint, settings, nowSeconds, mailOf: () => [] })
    for (const address of [...names.slice(0, 40), ADA, ...names.slice(40)]) {
      const attributes: Record<string, string> = address === ADA ? { name: NAME } : { name: 'x'.repeat(40) }
      await registrations.register({ address, attributes, consents: [], language: 'en' })
    }
  }
  const codes = createCodeStore(records)
  const batch = { entryPoint: 'default', most: null, devices: null, length: 8, groups: [], attributes: {} }
  const times = { createdAtSeconds: 1, endsAtSeconds: null, revokedAtSeconds: null }
  const nobody = { groups: [], attributes: {}, revokedAtSeconds: null }
  const own = [
    { ...nobody, number: 1, digest: 'd1', name: NAME, attributes: { mail: ADA } },
    { ...nobody, number: 2, digest: 'd2', name: 'Bob' },
  ]
  await codes.create({ ...batch, ...times, label: 'OWN', isShared: false, count: 2 }, own)
  const shared = { ...nobody, number: 1, digest: 'd3', name: null }
  await codes.create({ ...batch, ...times, label: 'ALL', isShared: true, count: 1 }, [shared])
  const found = await codes.find('d3')
  for (const name of ['Bob', ADA, 'Eve', ADA]) if (found) await codes.use(found, name, nowSeconds())
  await records.close()
  return { cwd, env, at }
}

/** The files of a folder whose bytes have a text in any encoding that the app writes. */
function filesWith(folder: string, text: string): string[] {
  const files = readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text))
  return files.toSorted()
}

async function post(port: number, path: string, fields: Record<string, string>, headers = {}) {
  const body = new URLSearchParams(fields)
  const own = { Origin: 'https://login.example.com', ...headers }
  return await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body, redirect: 'manual', headers: own })
}

test('after forget and a clean stop, no file of the data folder has a byte of the person but logs and lists', async () => {
  const { cwd, env, at } = await dataFolder()
  const app = await startApp({ settings: env })
  for (let index = 0; index < 3; index++) {
    expect((await post(app.port, '/sign-in', { username: ADA, password: PASSWORD })).status).toBe(303)
  }
  await post(app.port, '/sign-in', { username: ADA, password: 'wrong' })
  expect((await post(app.port, '/register', { address: ADA })).status).toBe(200)
  const act = { category: 'security', time: new Date().toISOString(), event: 'manager', outcome: 'viewer-edited' }
  writeFileSync(at('manager.log'), `${JSON.stringify({ ...act, viewer: ADA, reason: 'by eve' })}\n`)
  const exported = await runHere(['viewers', 'export', '--person', ADA], { cwd, env })
  const known = JSON.parse(exported.stdout)
  expect(known).toMatchObject({
    attributes: { realName: NAME },
    registrations: [{ entryPoint: 'default', attributes: { name: NAME } }],
    accessCodes: [
      { entryPoint: 'default', label: 'ALL', signIns: [2, 4] },
      { entryPoint: 'default', label: 'OWN', number: 1, attributes: { mail: ADA } },
    ],
    faults: [],
  })
  expect(known.sessions).toHaveLength(3)
  expect(known.log.map(({ file, outcome }: Record<string, string>) => [file, outcome])).toEqual(
    expect.arrayContaining([
      [at('manager.log'), 'viewer-edited'],
      [at('security.log'), 'signed-in'],
    ]),
  )
  const { status, stdout } = await runHere(['viewers', 'forget', ADA, '--json', '--yes'], { cwd, env })
  const forgotten = JSON.parse(stdout)
  expect([status, forgotten]).toMatchObject([
    0,
    {
      deleted: { registrations: 2, accessCodes: 2, account: 1, sessions: 3, failedSignIns: 1 },
      faults: {},
    },
  ])
  expect(forgotten.left.join('\n')).toMatch(
    /security\.log has \d+ lines.*\n.*manager\.log has 1 line.*\nMails under way .* Backups, /,
  )
  await app.stop()
  expect(filesWith(cwd, ADA)).toEqual(['guests.csv', 'manager.log', 'security.log'])
  expect(filesWith(cwd, NAME)).toEqual([])
  // Others stay.
  expect(filesWith(cwd, person(39))).toEqual(['guests.db', 'viewers.db'])
  const again = await runHere(['viewers', 'export', '--person', ADA], { cwd, env })
  expect(JSON.parse(again.stdout)).toMatchObject({ registrations: [], accessCodes: [], sessions: [] })
})

test('viewers remove names the command that deletes the rest', async () => {
  const cwd = temporaryFolder()
  const env = { USER_STORE_URL: `sqlite:${join(cwd, 'viewers.db')}` }
  await runHere(['viewers', 'add', ADA], { cwd, env, stdin: PASSWORD })
  expect((await runHere(['viewers', 'remove', ADA], { cwd, env })).stdout).toContain('viewers forget')
})
