import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { runHere } from '../../tools/cli/run-here.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { passkey } from './passkeys-contract.ts'

const ID = 'kQ3vZm1'
const shown = {
  id: ID,
  name: 'Chrome on Windows',
  deviceType: 'multiDevice',
  isBackedUp: true,
  transports: ['internal', 'hybrid'],
  createdAt: '2033-05-18T03:33:20.000Z',
  lastUsedAt: null,
}

/** Stores Ada with these passkeys, and returns a function that runs `viewers passkeys …`. */
async function adaWith(...ids: string[]) {
  const cwd = temporaryFolder()
  const store = openEditableSqliteStore(join(cwd, 'data', 'viewers.db'))
  onTestFinished(() => store.close())
  await store.add({ username: 'Ada', groups: [], attributes: {} }, null)
  await store.passkeys.userHandleOf('ada')
  for (const id of ids) await store.passkeys.add('ada', passkey(id))
  const run = (...args: string[]) => runHere(['viewers', 'passkeys', ...args], { cwd })
  const idsLeft = async () => (await store.passkeys.list('ada')).map(({ id }) => id)
  return { cwd, store, run, idsLeft }
}

test('viewers passkeys list shows names, times and ids, and no key', async () => {
  const { store, run } = await adaWith(ID, 'second')
  await store.passkeys.recordUse('second', { counter: 0, isBackedUp: true, usedAtSeconds: 2_000_000_060 })
  const { status, stdout } = await run('list', 'ADA', '--json')
  const used = { ...shown, id: 'second', lastUsedAt: '2033-05-18T03:34:20.000Z' }
  expect([status, JSON.parse(stdout)]).toEqual([0, [shown, used]])
  const table = await run('list', 'ada')
  for (const text of [ID, 'Chrome on Windows', 'never', used.lastUsedAt]) expect(table.stdout).toContain(text)
})

test('viewers passkeys list tells a viewer without passkeys from an unknown viewer', async () => {
  const { run } = await adaWith()
  expect(await run('list', 'ada', '--json')).toEqual({ status: 0, stdout: '[]\n', stderr: '' })
  expect(await run('list', 'ada')).toMatchObject({ status: 0, stdout: 'Ada has no passkeys.\n' })
  expect(await run('list', 'bob')).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('"bob"') })
})

test('viewers passkeys remove takes the id or its first characters', async () => {
  const { run, idsLeft } = await adaWith(ID, 'second')
  const removed = await run('remove', 'ADA', 'kQ', '--json')
  expect(JSON.parse(removed.stdout)).toEqual({ username: 'Ada', removed: shown })
  expect(await idsLeft()).toEqual(['second'])
  expect(await run('remove', 'ada', 'second', '--yes')).toMatchObject({ status: 0, stderr: '' })
  expect(await idsLeft()).toEqual([])
})

test('viewers passkeys remove takes an id that another one begins with, or that begins with a hyphen', async () => {
  const { run, idsLeft } = await adaWith(ID, `${ID}x`, '-h3')
  expect(await run('remove', 'ada', ID)).toMatchObject({ status: 0 })
  expect(await run('remove', 'ada', '--', '-h3')).toMatchObject({ status: 0 })
  expect(await idsLeft()).toEqual([`${ID}x`])
})

test.each([
  ['an unknown id', ['ada', 'unknown'], 1],
  ['the first characters of two ids', ['ada', 'k'], 1],
  ['a passkey of another viewer', ['bob', ID], 1],
  ['an unknown viewer', ['cy', ID], 1],
  ['an empty id', ['ada', ''], 2],
  ['no id', ['ada'], 2],
] as const)('viewers passkeys remove refuses %s', async (_what, args, status) => {
  const { store, run, idsLeft } = await adaWith(ID, 'kQ4')
  await store.add({ username: 'bob', groups: [], attributes: {} }, null)
  expect(await run('remove', ...args)).toMatchObject({ status, stdout: '' })
  expect(await idsLeft()).toHaveLength(2)
})

test('viewers show and set-password tell the number of passkeys', async () => {
  const { cwd } = await adaWith(ID, 'second')
  const { stdout } = await runHere(['viewers', 'show', 'ada', '--json'], { cwd })
  expect(JSON.parse(stdout)).toMatchObject({ passkeys: 2 })
  const changed = await runHere(['viewers', 'set-password', 'ada'], { cwd, stdin: 'another heron ladder' })
  expect(changed.stdout).toContain('2 passkeys')
})
