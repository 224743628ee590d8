import { expect, onTestFinished, test } from 'vitest'
import type { EditableUserStore } from '../../../src/users/editable-user-store.ts'
import { MOST_PASSKEYS, type NewPasskey, type PasskeyStore } from '../../../src/users/passkeys/passkey-store.ts'
import { importInto } from '../../users/import-batch/import-contract.ts'

const NOW = 2_000_000_000
const ada = { username: 'Ada', groups: ['staff'], attributes: {} }

/** Returns a new passkey that no authenticator has. */
export function passkey(id: string, fields: Partial<NewPasskey> = {}): NewPasskey {
  return {
    id,
    publicKey: new Uint8Array([0xa5, 0x00, 0xff, 0x27]),
    counter: 0,
    deviceType: 'multiDevice',
    isBackedUp: true,
    transports: ['internal', 'hybrid'],
    name: 'Chrome on Windows',
    createdAtSeconds: NOW,
    ...fields,
  }
}

function use(counter: number, isBackedUp = true) {
  return { counter, isBackedUp, usedAtSeconds: NOW + 60.5 }
}

/**
 * Tests the promises about passkeys, of every store whose viewers this app manages.
 * @param createStorage creates storage without viewers, and returns a function that opens stores on it.
 */
export function testPasskeys(createStorage: () => Promise<() => Promise<EditableUserStore>>): void {
  /** Opens two stores on one storage, as two copies of the app do, with Ada and Bob, who have user handles. */
  async function storesWithAda() {
    const open = await createStorage()
    const stores = await Promise.all([open(), open()])
    onTestFinished(() => void Promise.all(stores.map((store) => store.close())))
    const [store] = stores
    for (const username of [ada.username, 'bob']) await store.add({ ...ada, username }, null)
    const [passkeys = expect.unreachable(), others = expect.unreachable()] = stores.map((one) => one.passkeys)
    await passkeys.assertAllowed()
    const ofAda = await passkeys.userHandleOf('ada')
    const ofBob = await passkeys.userHandleOf('bob')
    return { store, passkeys, others, handles: { ofAda, ofBob } }
  }
  async function idsOf(passkeys: PasskeyStore, username: string): Promise<string[]> {
    return (await passkeys.list(username)).map(({ id }) => id)
  }

  test('the user handle of a viewer has 64 bytes of its own, and stays the same', async () => {
    const { store, passkeys, others, handles } = await storesWithAda()
    expect(handles.ofAda).toMatch(/^[A-Za-z0-9_-]{86}$/)
    expect(handles.ofAda).not.toBe(handles.ofBob)
    await store.add({ ...ada, username: 'cy' }, null)
    const concurrent = await Promise.all([passkeys.userHandleOf('cy'), others.userHandleOf('CY')])
    expect(new Set([...concurrent, await passkeys.userHandleOf('cy')]).size).toBe(1)
    expect(await others.userHandleOf('ADA')).toBe(handles.ofAda)
  })

  test('a passkey is found by its id, as it was added, with the name of its viewer', async () => {
    const { passkeys, others, handles } = await storesWithAda()
    expect(await passkeys.add('ADA', passkey('one'))).toBe('added')
    const stored = { ...passkey('one'), lastUsedAtSeconds: null }
    expect(await others.find('one')).toEqual({ passkey: stored, username: 'Ada', userHandle: handles.ofAda })
    expect(await passkeys.list('ada')).toEqual([stored])
  })

  test.each(['two', '', '\0', 'ön', "'--", 'x'.repeat(5000)])('the unknown id %j is not found', async (id) => {
    const { passkeys } = await storesWithAda()
    await passkeys.add('ada', passkey('one'))
    expect(await passkeys.find(id)).toBeNull()
    expect(await passkeys.recordUse(id, use(1))).toBe('unknown')
    expect(await passkeys.remove('ada', id)).toBe(false)
  })

  test('an id is stored once, for one viewer', async () => {
    const { passkeys } = await storesWithAda()
    await passkeys.add('ada', passkey('one'))
    expect(await passkeys.add('ada', passkey('one', { name: 'again' }))).toBe('known')
    expect(await passkeys.add('bob', passkey('one'))).toBe('known')
    expect([await idsOf(passkeys, 'bob'), await idsOf(passkeys, 'ada')]).toEqual([[], ['one']])
  })

  test('a viewer has ten passkeys at most, also if they are added at the same time', async () => {
    const { passkeys, others } = await storesWithAda()
    for (let n = 2; n <= MOST_PASSKEYS; n += 1) await passkeys.add('ada', passkey(`id-${n}`))
    const stores = [passkeys, others, passkeys, others, passkeys, others]
    const last = await Promise.all(stores.map((store, n) => store.add('ada', passkey(`last-${n}`))))
    expect(last.filter((outcome) => outcome !== 'too-many')).toEqual(['added'])
    expect(await passkeys.list('ada')).toHaveLength(10)
    expect(await passkeys.add('bob', passkey('of-bob'))).toBe('added')
  })

  test('a use stores the counter, the backup state and the time', async () => {
    const { passkeys, others } = await storesWithAda()
    await passkeys.add('ada', passkey('one', { counter: 4_294_967_290, deviceType: 'singleDevice', isBackedUp: false }))
    expect(await passkeys.recordUse('one', use(4_294_967_295, true))).toBe('recorded')
    expect((await others.find('one'))?.passkey).toMatchObject({
      counter: 4_294_967_295,
      isBackedUp: true,
      deviceType: 'singleDevice',
      lastUsedAtSeconds: NOW + 60,
    })
  })

  test.each([
    [0, 0, 'recorded'],
    [0, 1, 'recorded'],
    [1, 2, 'recorded'],
    [2, 2, 'counter-went-back'],
    [2, 1, 'counter-went-back'],
    [2, 0, 'counter-went-back'],
  ] as const)('after the counter %i, the counter %i is %s', async (stored, counter, outcome) => {
    const { passkeys } = await storesWithAda()
    await passkeys.add('ada', passkey('one', { counter: stored }))
    expect(await passkeys.recordUse('one', use(counter))).toBe(outcome)
    const { passkey: now } = (await passkeys.find('one')) ?? expect.unreachable()
    expect(now).toMatchObject(
      outcome === 'recorded' ? { counter, lastUsedAtSeconds: NOW + 60 } : { counter: stored, lastUsedAtSeconds: null },
    )
  })

  test('of two concurrent uses with one counter, one is recorded', async () => {
    const { passkeys, others } = await storesWithAda()
    await passkeys.add('ada', passkey('one', { counter: 7 }))
    const uses = await Promise.all([passkeys.recordUse('one', use(8)), others.recordUse('one', use(8))])
    expect(uses.sort()).toEqual(['counter-went-back', 'recorded'])
  })

  test('an unknown or disabled viewer has no user handle, and gets no passkey', async () => {
    const { store, passkeys } = await storesWithAda()
    await store.setDisabled('ada', true)
    for (const username of ['ada', 'cy', '\0', 'x'.repeat(300)]) {
      expect(await passkeys.userHandleOf(username)).toBeNull()
      expect(await passkeys.add(username, passkey('one'))).toBe('no-viewer')
      expect(await passkeys.list(username)).toEqual([])
      expect(await passkeys.remove(username, 'one')).toBe(false)
    }
  })

  test('the passkeys of a disabled viewer do not work, and work again when the viewer is enabled', async () => {
    const { store, passkeys, handles } = await storesWithAda()
    await passkeys.add('ada', passkey('one', { counter: 1 }))
    await store.setDisabled('ada', true)
    expect(await passkeys.find('one')).toBeNull()
    expect(await passkeys.recordUse('one', use(2))).toBe('unknown')
    expect(await idsOf(passkeys, 'ada')).toEqual(['one'])
    await store.setDisabled('ada', false)
    expect(await passkeys.find('one')).toMatchObject({ passkey: { counter: 1 }, userHandle: handles.ofAda })
  })

  test('a new password leaves the passkeys of its viewer as they are', async () => {
    const { store, passkeys, handles } = await storesWithAda()
    await passkeys.add('ada', passkey('one'))
    const before = await passkeys.find('one')
    await store.setPassword('ada', 'correct horse battery')
    expect(await passkeys.find('one')).toEqual(before)
    expect(await passkeys.userHandleOf('ada')).toBe(handles.ofAda)
  })

  test('a passkey is added only with the version of the password that is stored', async () => {
    const { store, passkeys } = await storesWithAda()
    await store.setPassword('ada', 'correct horse battery')
    const { passwordVersion } = (await store.find?.('ada')) ?? expect.unreachable()
    expect(await passkeys.add('ada', passkey('one'), passwordVersion)).toBe('added')
    await store.setPassword('ada', 'another heron ladder')
    expect(await passkeys.add('ada', passkey('two'), passwordVersion)).toBe('password-changed')
    expect(await idsOf(passkeys, 'ada')).toEqual(['one'])
  })

  test('an import leaves the passkeys of its viewer as they are', async () => {
    const { store, passkeys, handles } = await storesWithAda()
    await passkeys.add('ada', passkey('one'))
    const before = await passkeys.find('one')
    const imported = { username: 'ADA', passwordHash: null, groups: ['press'], disabled: false, attributes: {} }
    expect(await importInto(store, [imported], 'update')).toEqual(['updated'])
    expect(await passkeys.find('one')).toEqual(before)
    expect(await passkeys.userHandleOf('ada')).toBe(handles.ofAda)
  })

  test('passkeys end with their viewer: a later viewer of that name has none', async () => {
    const { store, passkeys, handles } = await storesWithAda()
    await passkeys.add('ada', passkey('one'))
    await passkeys.add('bob', passkey('of-bob'))
    await store.remove('ada')
    await store.add(ada, null)
    expect(await passkeys.find('one')).toBeNull()
    expect(await passkeys.list('ada')).toEqual([])
    expect(await passkeys.userHandleOf('ada')).not.toBe(handles.ofAda)
    expect(await passkeys.add('ada', passkey('one'))).toBe('added')
    expect(await idsOf(passkeys, 'bob')).toEqual(['of-bob'])
  })

  test('a passkey is removed only for its own viewer', async () => {
    const { passkeys } = await storesWithAda()
    await passkeys.add('ada', passkey('one'))
    await passkeys.add('ada', passkey('two', { createdAtSeconds: NOW - 1 }))
    expect(await idsOf(passkeys, 'ada')).toEqual(['two', 'one'])
    expect(await passkeys.remove('bob', 'one')).toBe(false)
    expect(await passkeys.remove('ADA', 'one')).toBe(true)
    expect(await passkeys.remove('ada', 'one')).toBe(false)
    expect(await idsOf(passkeys, 'ada')).toEqual(['two'])
  })
}
