import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openFilePlaces } from '../../../src/stores/places/file-places.ts'
import { openMemoryPlaces } from '../../../src/stores/places/memory-places.ts'
import { stores } from '../../../src/stores.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { claimsOf, placeStoreContract } from './place-store-contract.ts'

const unexpected = (message: string) => expect.unreachable(message)
const newFile = () => join(temporaryFolder(), 'limits-screens.db')

placeStoreContract('memory', () => openMemoryPlaces())
placeStoreContract('SQLite', () => openFilePlaces(newFile(), unexpected))

test('a full memory frees the places of the viewers whose last claim is the oldest', async () => {
  const store = openMemoryPlaces(2)
  for (const key of ['ada', 'bob', 'ada', 'eve']) await claimsOf(store, key)('a', 'newest')
  const results = ['ada', 'bob', 'eve'].map((key) => claimsOf(store, key)('b', 'look'))
  expect(await Promise.all(results)).toEqual(['none-free', 'taken', 'none-free'])
})

test('places in a file survive a restart, and only the app can read the file', async () => {
  const file = newFile()
  const before = openFilePlaces(file, unexpected)
  await claimsOf(before, 'ada')('a', 'newest')
  before.close()
  const after = openFilePlaces(file, unexpected)
  onTestFinished(() => after.close())
  expect(await claimsOf(after, 'ada')('b', 'if-free')).toBe('none-free')
  expect(await claimsOf(after, 'ada')('a', 'if-free')).toBe('taken')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a file that fails is not used for a minute, with one warning, and the app knows that it is away', async () => {
  const file = newFile()
  const warnings: string[] = []
  const store = openFilePlaces(file, (message) => void warnings.push(message), 10)
  const other = new DatabaseSync(file)
  onTestFinished(() => {
    other.close()
    store.close()
  })
  const claim = claimsOf(store, 'ada')
  await claim('a', 'newest')
  expect(store.optionalStores.map((one) => one.isAvailable())).toEqual([true])
  other.exec('BEGIN IMMEDIATE')
  await expect.poll(() => warnings).not.toEqual([])
  for (let time = 0; time < 3; time += 1) await expect(claim('a', 'if-free')).rejects.toThrow()
  expect(warnings).toEqual([expect.stringMatching(/^LIMITS_STORE_URL: .* more screens than allowed, for a minute\.$/)])
  expect(store.optionalStores.map((one) => one.isAvailable())).toEqual([false])
})

test('a file that cannot be opened leaves the places in memory, with a warning', async () => {
  const warnings: string[] = []
  const store = openFilePlaces(temporaryFolder(), (message) => void warnings.push(message))
  const claim = claimsOf(store, 'ada')
  await claim('a', 'newest')
  expect(await claim('b', 'if-free')).toBe('none-free')
  expect(warnings).toEqual([expect.stringMatching(/in memory until a restart\.$/)])
})

test('places are beside the counts of failed sign-ins, else in memory', async () => {
  const folder = temporaryFolder()
  const limitsStore = { kind: 'counts-file', file: join(folder, 'limits.db') }
  const deps = { nowSeconds: () => 0, log: { info: unexpected, warn: unexpected } }
  const inFile = await stores.places({ sessionStore: { kind: 'sqlite' }, limitsStore }, deps)
  const inMemory = await stores.places({ sessionStore: { kind: 'sqlite' }, limitsStore: { kind: 'memory' } }, deps)
  inFile.close()
  expect(existsSync(join(folder, 'limits-screens.db'))).toBe(true)
  expect(await claimsOf(inMemory, 'ada')('a', 'newest')).toBe('taken')
})
