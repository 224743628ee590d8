import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UpstreamError } from '../../../../src/errors.ts'
import { readSessions } from '../../../../src/sessions/session-file.ts'
import { removeAll } from '../../../../src/tools/cli/drill/drill-viewers.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'
import { addSession } from '../viewers/who-is-in/stored-session.ts'

const PREFIX = 'drill-0a1b2c3d-'
const VIEWERS = [1, 2, 3].map((number) => ({ username: `${PREFIX}${number}`, password: 'x' }))

/** Removes the viewers from a store that is away for the first calls. */
async function removeFrom(failures: number) {
  const removed: string[] = []
  let left = failures
  let said = ''
  const remove = (username: string) => {
    left -= 1
    if (removed.length > 0 && left >= 0) return Promise.reject(new UpstreamError('user-store', 'away'))
    removed.push(username)
    return Promise.resolve({ ok: false as const, fault: '' })
  }
  const stderr = { write: (text: string) => (said += text) } as never
  const ended = removeAll({ stderr }, { remove }, VIEWERS, PREFIX, { everyMs: 5, atMostMs: 500 })
  const fault = await ended.then(
    () => null,
    (error: Error) => error.message,
  )
  return { removed, said, fault }
}

test('made-up viewers are removed when the store is back', async () => {
  const { removed, said, fault } = await removeFrom(10)
  expect([removed, fault]).toEqual([VIEWERS.map(({ username }) => username), null])
  expect(said).toBe('Waits for the user store, to remove the made-up viewers.\n')
})

test('the drill names the command that removes its viewers if the store stays away', async () => {
  const { fault } = await removeFrom(Number.POSITIVE_INFINITY)
  expect(fault).toContain(`viewer-auth drill --remove-made-up ${PREFIX}`)
})

test('drill --remove-made-up removes the viewers of that drill, and no others', async () => {
  const cwd = temporaryFolder()
  for (const name of [`${PREFIX}1`, `${PREFIX}2`, 'drill-ffffffff-1', 'ada']) {
    expect(await runHere(['viewers', 'add', name], { cwd, stdin: 'seven quiet herons' })).toMatchObject({ status: 0 })
  }
  const sessions = join(cwd, 'sessions.db')
  for (const username of [`${PREFIX}1`, 'ada']) await addSession(sessions, username, { username, signedInAtSeconds: 1 })
  const env = { SESSION_STORE_URL: `sqlite:${sessions}` }
  const ended = await runHere(['drill', '--remove-made-up', PREFIX], { cwd, env })
  expect(ended).toMatchObject({ status: 0, stdout: 'Removed 2 viewers.\n' })
  expect(readSessions(sessions, `${PREFIX}1`)).toEqual([])
  expect(readSessions(sessions, 'ada')).toHaveLength(1)
  const { stdout } = await runHere(['viewers', 'list', '--json'], { cwd })
  expect(stdout).not.toContain(PREFIX)
  for (const name of ['drill-ffffffff-1', 'ada']) expect(stdout).toContain(name)
})

test('made-up viewers are removed also if the store of the sessions cannot be used', async () => {
  const cwd = temporaryFolder()
  await runHere(['viewers', 'add', `${PREFIX}1`], { cwd, stdin: 'seven quiet herons' })
  const file = join(cwd, 'sessions.db')
  writeFileSync(file, 'not a database')
  const env = { SESSION_STORE_URL: `sqlite:${file}` }
  const ended = await runHere(['drill', '--remove-made-up', PREFIX], { cwd, env })
  expect(ended).toMatchObject({ status: 0, stdout: 'Removed 1 viewer.\n' })
  expect(ended.stderr).toContain('Sessions of the made-up viewers remain')
})

test.each(['', 'a', 'drill-', 'drill-0a1b2c3d', 'drill-%-'])(
  'drill --remove-made-up %j is wrong usage',
  async (prefix) => {
    expect((await runHere(['drill', '--remove-made-up', prefix], { cwd: temporaryFolder() })).status).toBe(2)
  },
)
