import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteSessionStore } from '../../../../src/sessions/sqlite-store.ts'
import { openEditableSqliteStore } from '../../../../src/users/sqlite/editable-store.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

const SESSIONS = { lifetimeSeconds: 1000, idleSeconds: 100, mostPerViewer: 20 }

/** Opens the stores of an app that runs, with one viewer. */
async function startStores() {
  const cwd = temporaryFolder()
  const viewers = join(cwd, 'data', 'viewers.db')
  const sessions = join(cwd, 'data', 'sessions.db')
  const env = { USER_STORE_URL: `sqlite:${viewers}`, SESSION_STORE_URL: `sqlite:${sessions}` }
  const store = openEditableSqliteStore(viewers)
  const sessionStore = openSqliteSessionStore(sessions, SESSIONS, () => 1000)
  let isOpen = true
  async function stop(): Promise<void> {
    if (isOpen) sessionStore.close()
    if (isOpen) await store.close()
    isOpen = false
  }
  onTestFinished(stop)
  await store.add({ username: 'ada', groups: ['staff'], attributes: {} }, null)
  const run = (...args: string[]) => runHere(args, { cwd, env })
  return { cwd, viewers, store, stop, run, folder: join(cwd, 'copy') }
}

function namesIn(file: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true })
  const names = database.prepare('SELECT username FROM viewers ORDER BY key').all()
  database.close()
  return names.map(({ username }) => username)
}

test('a backup of an app that runs is whole, only for this user, and leaves no other file', async () => {
  const umask = process.umask(0)
  onTestFinished(() => void process.umask(umask))
  const { run, folder } = await startStores()
  expect(await run('backup', folder)).toMatchObject({ status: 0, stderr: '' })
  expect(readdirSync(folder).toSorted()).toEqual(['sessions.db', 'viewers.db'])
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  expect(namesIn(join(folder, 'viewers.db'))).toEqual(['ada'])
})

test('a backup overwrites nothing', async () => {
  const { cwd, run } = await startStores()
  const { status, stderr } = await run('backup', join(cwd, 'data'))
  expect([status, stderr]).toEqual([1, expect.stringContaining('EEXIST')])
})

test('restore refuses while the app runs, and changes nothing', async () => {
  const { run, folder, store, viewers } = await startStores()
  await run('backup', folder)
  await store.remove('ada')
  const { status, stderr } = await run('restore', folder, '--yes')
  expect([status, stderr]).toEqual([1, expect.stringContaining('Stop the app')])
  expect(namesIn(viewers)).toEqual([])
})

test('restore brings the viewers back after the app was stopped, and keeps the replaced files', async () => {
  const { cwd, run, folder, store, stop, viewers } = await startStores()
  await run('backup', folder)
  await store.remove('ada')
  await stop()
  const { status, stderr, stdout } = await run('restore', folder, '--yes', '--json')
  expect([status, stderr]).toEqual([0, ''])
  expect(namesIn(viewers)).toEqual(['ada'])
  expect(statSync(viewers).mode & 0o777).toBe(0o600)
  const { aside } = JSON.parse(stdout)
  expect(namesIn(viewers + aside)).toEqual([])
  expect(existsSync(join(cwd, 'data', `sessions.db${aside}`))).toBe(true)
  const again = openEditableSqliteStore(viewers)
  onTestFinished(() => again.close())
  expect(await again.show('ada')).toMatchObject({ ok: true, viewer: { groups: ['staff'] } })
})

test('restore of a damaged backup changes nothing', async () => {
  const { run, folder, stop, viewers } = await startStores()
  await run('backup', folder)
  await stop()
  const copy = join(folder, 'viewers.db')
  writeFileSync(copy, readFileSync(copy).fill(255, 4096))
  const before = readFileSync(viewers)
  const { status, stderr } = await run('restore', folder, '--yes')
  expect([status, stderr]).toEqual([1, expect.stringContaining('damaged')])
  expect(readFileSync(viewers)).toEqual(before)
})

test('restore replaces a damaged file', async () => {
  const { run, folder, stop, viewers } = await startStores()
  await run('backup', folder)
  await stop()
  writeFileSync(viewers, Buffer.alloc(5000, 1))
  expect(await run('restore', folder, '--yes')).toMatchObject({ status: 0 })
  expect(namesIn(viewers)).toEqual(['ada'])
})

test('restore --viewers-only leaves the sessions', async () => {
  const { cwd, run, folder, stop } = await startStores()
  await run('backup', folder)
  await stop()
  expect(await run('restore', folder, '--yes', '--viewers-only')).toMatchObject({ status: 0 })
  expect(readdirSync(join(cwd, 'data')).filter((name) => name.startsWith('sessions.db.'))).toEqual([])
})
