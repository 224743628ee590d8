import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openLog } from '../../../../src/server/log/log.ts'
import type { RunningEmulator } from '../../../../src/tools/emulator/start-emulator.ts'
import { openEditableSqliteStore } from '../../../../src/users/sqlite/editable-store.ts'
import { openSqliteStore } from '../../../../src/users/sqlite/store.ts'
import { ADA, type LoginAppOptions } from '../../../login/start-login-app.ts'
import { viewersUrl } from '../../../users/sqlite/viewers-url.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { emulatorOfTest } from '../../video-service/client.ts'
import { startLoginAppBehindProxy } from '../login-app-behind-proxy.ts'
import { type Findings, runDoctor } from './findings.ts'

const INFO = 30

let emulator: RunningEmulator
let folder: string
beforeEach(async () => {
  emulator = await emulatorOfTest()
  folder = temporaryFolder()
})

/** Starts the app with these settings, and lets the doctor sign in as Ada with settings that may differ. */
async function signIn(
  settings: Record<string, string> = {},
  { app = {}, changed = {} }: { app?: LoginAppOptions; changed?: Record<string, string> } = {},
): Promise<Findings> {
  const PLAYER_RETURN_URL = `${emulator.url}/embed/hashlock/pass`
  const USER_STORE_URL = viewersUrl(folder)
  const shared = { PLAYER_RETURN_URL, PLAYER_ORIGINS: emulator.url, USER_STORE_URL, ...settings }
  const env = await startLoginAppBehindProxy(emulator, { settings: shared, app })
  return await runDoctor(['--viewer', ADA.username], { cwd: folder, env: { ...env, ...changed } })
}

/** Returns the app with a real store, in which Ada is in one group and has one attribute. */
async function appWithStore(groups: string[], attributes: Record<string, string> = {}): Promise<LoginAppOptions> {
  const file = join(folder, 'viewers.db')
  const editable = openEditableSqliteStore(file)
  await editable.add({ username: ADA.username, groups, attributes }, ADA.password)
  await editable.close()
  const users = openSqliteStore(file)
  onTestFinished(() => users.close())
  return { users }
}

test('a viewer in another group is named with the groups that count', async () => {
  const { failure, textOf } = await signIn({ ALLOWED_GROUPS: 'gold,press' }, { app: await appWithStore(['silver']) })
  expect(failure).toEqual(['not-in-group'])
  for (const group of ['gold', 'press', 'silver']) expect(textOf('not-in-group')).toContain(group)
})

test('an attribute whose value cannot be sent is named with the fault', async () => {
  const { failure, textOf } = await signIn(
    { HASH_PARAMETERS: 'user=username,mail=email' },
    { app: await appWithStore([], { email: 'a|b' }) },
  )
  expect(failure).toEqual(['attribute-unusable'])
  expect(textOf('attribute-unusable')).toMatch(/email .*"\|"/)
})

test('without the user store on this machine, the settings and the log are named, and no file is created', async () => {
  const { failure, textOf } = await signIn({ ALLOWED_GROUPS: 'gold' })
  expect(failure).toEqual(['not-in-group'])
  expect(textOf('not-in-group')).toMatch(/gold.* log /)
  expect(existsSync(join(folder, 'viewers.db'))).toBe(false)
  expect((await signIn({ HASH_PARAMETERS: 'user=username,mail=email' })).textOf('attribute-unusable')).toContain(
    'email',
  )
})

test('a refusal of an access policy of your own is named, with what the screen says', async () => {
  const accessPolicy = {
    decideAccess: () =>
      ({ ok: false, reason: 'not-entitled', explanation: { text: "Your <b> ticket isn't valid." } }) as const,
    timeoutMs: 1_000,
  }
  for (const ALLOWED_GROUPS of ['', 'gold']) {
    folder = temporaryFolder()
    const app = { ...(await appWithStore(['gold'])), accessPolicy }
    const { failure, textOf } = await signIn({ ALLOWED_GROUPS }, { app })
    expect(failure).toEqual(['policy-refuses'])
    expect(textOf('policy-refuses')).toContain("Your <b> ticket isn't valid.")
  }
})

test('a doctor that finds no fault leaves no warning in the log of the app', async () => {
  const lines: { level: number; event?: string }[] = []
  const destination = new Writable({
    write(chunk: Buffer, _encoding, written) {
      lines.push(
        ...String(chunk)
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      )
      written()
    },
  })
  const { failure } = await signIn(
    { HASH_CONSUMERS: `${emulator.url}/chat/authorize/` },
    { app: { log: openLog('trace', destination) } },
  )
  expect(failure).toEqual([])
  expect(lines.map(({ event }) => event)).toContain('sign-in')
  expect(new Set(lines.map(({ level }) => level))).toEqual(new Set([INFO]))
})
