import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ConfigError } from '../../../src/errors.ts'
import { httpStore } from '../../../src/users/http/kind.ts'
import { sqliteStore } from '../../../src/users/sqlite/kind.ts'
import { userStoreList } from '../../../src/users/user-store-list.ts'
import { jsonStore } from './kind.ts'

/** A list with a store that a fork adds. */
const forkStores = userStoreList([{ ...jsonStore, defaultUrl: 'json:viewers.json' }, sqliteStore, httpStore])

test('a store of a fork is chosen by its URL, like the other stores', () => {
  expect(forkStores.environment.parse({})).toEqual({ kind: 'json', file: 'viewers.json' })
  expect(forkStores.environment.parse({ USER_STORE_URL: 'sqlite:x.db' })).toEqual({ kind: 'sqlite', file: 'x.db' })
})

test('a store of a fork is named in the message about a wrong URL', () => {
  expect(forkStores.environment.safeParse({ USER_STORE_URL: 'x' }).error?.message).toContain('json:FILE')
})

test('a store of a fork refuses the settings of other stores', () => {
  const { error } = forkStores.environment.safeParse({ USER_STORE_URL: 'json:x', HTTP_STORE_TOKEN: 'x' })
  expect(error?.issues.map(({ path }) => path)).toEqual([['HTTP_STORE_TOKEN']])
})

test('a store without openEditable is refused by commands that change viewers', async () => {
  await expect(forkStores.openEditable(forkStores.environment.parse({}))).rejects.toThrow(ConfigError)
})

test('the example in the README of users is the code of the JSON store', () => {
  const code = readFileSync(new URL('kind.ts', import.meta.url), 'utf8')
  const readme = readFileSync(new URL('../../../src/users/README.md', import.meta.url), 'utf8')
  expect(readme).toContain(code.replaceAll('../../../src/users/', '../'))
})
