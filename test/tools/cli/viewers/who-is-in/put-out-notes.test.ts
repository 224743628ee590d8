import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { playsUntil } from '../../../../../src/tools/cli/viewers/who-is-in/plays-until.ts'
import { ENTRY_POINT, entryPointAt } from '../../../../login/entry-point.ts'
import { SETTINGS } from '../../../../settings.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { runHere } from '../../sqlite/run-here.ts'
import { addStoredViewers } from '../../sqlite/stored-viewers.ts'

let cwd: string
beforeEach(async () => {
  cwd = temporaryFolder()
  await addStoredViewers(cwd, [{ username: 'ada', groups: ['tonight'] }])
})

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const sessions = { SESSION_STORE_URL: `sqlite:${join(cwd, 'sessions.db')}` }
  return runHere(args, { cwd, env: { ...SETTINGS, ...sessions, ...env } })
}

interface Note {
  readonly playsUntil: string | null
  readonly isEndless: boolean
  readonly isKnown: boolean
}

test.each([
  [['viewers', 'disable', 'ada']],
  [['viewers', 'remove', 'ada', '--yes']],
  [['sessions', 'end', 'ada']],
  [['sessions', 'end', '--all', '--yes']],
])('%j says until when an open player plays on, and how to be faster', async (args) => {
  const { status, stderr } = await run(args)
  expect(status).toBe(0)
  expect(stderr).toMatch(/^An open player plays on until .*\d\d:\d\d .* at the latest, when its response expires\. /)
  expect(stderr).toContain('lower HASH_LIFETIME_SECONDS')
})

test('the time is the lifetime of a response from now, in UTC with --json', async () => {
  const from = Date.now()
  const { stdout, stderr } = await run(['viewers', 'disable', 'ada', '--json'], { HASH_LIFETIME_SECONDS: '600' })
  expect(JSON.parse(stdout)).toMatchObject({ username: 'ada', disabled: true })
  const note = JSON.parse(stderr) as Note
  expect(note).toMatchObject({ isEndless: false, isKnown: true })
  const playsFor = Date.parse(note.playsUntil ?? '') - 600_000
  expect([playsFor >= from, playsFor <= Date.now()]).toEqual([true, true])
})

test('a response that never expires is said, with the cure', async () => {
  const { stderr } = await run(['viewers', 'disable', 'ada'], { HASH_LIFETIME_SECONDS: '0' })
  expect(stderr).toMatch(/plays on for ever: its response never expires\. Set HASH_LIFETIME_SECONDS\./)
})

test('without the settings of the entry points, the time is not known', async () => {
  const { status, stderr } = await runHere(['viewers', 'disable', 'ada'], { cwd })
  expect([status, stderr]).toEqual([0, expect.stringMatching(/^Not known here until when .*HASH_LIFETIME_SECONDS/)])
})

test.each([[['viewers', 'enable', 'ada']], [['viewers', 'list', '--json']]])(
  '%j puts no viewer out, so it says nothing',
  async (args) => {
    expect((await run(args)).stderr).toBe('')
  },
)

test('a command that fails puts no viewer out', async () => {
  const { status, stderr } = await run(['viewers', 'disable', 'nobody'])
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.not.stringContaining('plays on') })
})

test('the entry point whose answers live longest counts, from the time of the answer', () => {
  const short = { ...ENTRY_POINT, lifetimeSeconds: 60 }
  const long = { ...entryPointAt('gold'), lifetimeSeconds: 600 }
  expect(playsUntil([short, long], 1000, 5000, [])).toEqual({ seconds: 1600, entryPoint: 'gold', isResponse: true })
  expect(playsUntil([], 1000, 5000, [])).toBeNull()
})
