import { renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openEditableSqliteStore } from '../../src/users/sqlite/editable-store.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { startApp } from './app-program.ts'
import { VISITORS_BEFORE } from './rehearse.ts'
import { settingsInFolder } from './settings.ts'
import { OPERATOR, visit } from './visit.ts'

/** No file of the process can grow, as on a full disk. Needs no right to mount one. */
const FULL = ['/usr/bin/prlimit', '--fsize=1']
const [visitor = OPERATOR] = VISITORS_BEFORE

test('an app that starts on a full disk lets viewers in, and is whole after the next start', async () => {
  const settings = await settingsInFolder(temporaryFolder())
  const first = await startApp({ settings })
  expect((await visit(first.port, 'right password', visitor)).outcome).toBe('in')
  expect(await first.stop()).toBe(0)
  const { port, output, stop } = await startApp({ settings, wrapper: FULL })
  const { cookie, outcome } = await visit(port, 'right password', visitor)
  expect([outcome, (await visit(port, 'return', { ...visitor, cookie })).outcome]).toEqual(['in', 'in'])
  expect((await visit(port, 'wrong password', visitor)).outcome).toBe('refused')
  for (const store of ['SESSION_STORE_URL', 'viewer database'])
    expect(output()).toMatch(new RegExp(`${store}.*disk full`))
  // A command on a disk with room again: the app cannot read the change.
  const file = settings.USER_STORE_URL?.replace('sqlite:', '') ?? ''
  const users = openEditableSqliteStore(file)
  await users.setDisabled(visitor.username, true)
  expect((await visit(port, 'right password', visitor)).outcome).toBe('503')
  await users.setDisabled(visitor.username, false)
  await users.close()
  expect((await visit(port, 'right password', visitor)).outcome).toBe('503')
  renameSync(file, `${file}.away`)
  expect((await visit(port, 'right password', visitor)).outcome).toBe('503')
  renameSync(`${file}.away`, file)
  expect(await stop()).toBe(0)
  const whole = await startApp({ settings })
  const again = await visit(whole.port, 'right password', visitor)
  expect(await whole.stop()).toBe(0)
  const last = await startApp({ settings })
  expect((await visit(last.port, 'return', { ...visitor, cookie: again.cookie })).outcome).toBe('in')
  expect(last.output()).not.toContain('disk full')
})
