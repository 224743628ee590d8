import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { OverloadedError, UpstreamError } from '../../src/errors.ts'
import { storeChecks } from '../../src/tools/cli/settings/check-store.ts'
import type { UserStore, Viewer } from '../../src/users/user-store.ts'

export interface ContractViewer extends Viewer {
  readonly password: string
  readonly disabled: boolean
  /** The stored hash, for a store of hashes. Absent: the store hashes the password. */
  readonly passwordHash?: string
}

const ada: ContractViewer = {
  username: 'Ada@Example.com',
  password: ' Correct horse: bätTery ',
  groups: ['staff', 'Vidéo'],
  attributes: { department: 'R&D', employee_number: '00042' },
  disabled: false,
}
const viewer: Viewer = { username: ada.username, groups: ada.groups, attributes: ada.attributes }
const gone: ContractViewer = {
  username: 'gone@example.com',
  password: 'still the right one',
  groups: [],
  attributes: {},
  disabled: true,
}
const emil: ContractViewer = {
  username: 'Émil',
  password: 'half a character \uFFFD',
  groups: [],
  attributes: {},
  disabled: false,
}
const bea: ContractViewer = {
  username: 'bea',
  password: 'seven quiet herons',
  passwordHash: '$2b$12$X2JggvAwRBBN2Rpc.sOUJ.t5F8ha.INNM/ayR9iLDRnG.J3vSfZYa',
  groups: [],
  attributes: {},
  disabled: false,
}
const onlyBea: readonly ContractViewer[] = [bea]

/** The viewers that each store under test must contain. */
export const contractViewers: readonly [ada: ContractViewer, gone: ContractViewer, emil: ContractViewer] = [
  ada,
  gone,
  emil,
]

const refusedNames: [what: string, username: string][] = [
  ['an unknown name', 'nobody@example.com'],
  ['an empty name', ''],
  ['a blank name', ' '],
  ['a name with NUL', 'Ada@Example.com\0'],
  ['a name with a lone surrogate', 'Ada@Example.com\uD800'],
  ['a name with a header on a second line', 'Ada@Example.com\r\nX-Admin: 1'],
  ['a name with a vertical bar', 'Ada@Example.com|admin'],
  ['a name of 100 kB', 'a'.repeat(100_000)],
  ['a name of 100 kB of combining marks', `a${'\u0301\u0327'.repeat(50_000)}`],
  ['a name with SQL that is always true', "' OR '1'='1"],
  ['a name with SQL that ends the statement', `Ada@Example.com'; DROP TABLE viewers; --`],
  ['a name that is a SQL pattern', '%'],
  ['a name with LDAP filter characters', '*)(uid=*'],
  ['a name that is a DN', 'cn=Ada,dc=example,dc=com'],
  ['a name that every JavaScript object has', '__proto__'],
]

/**
 * Tests the promises of every user store, against a real one.
 * @param finds true if the store can look up a viewer without a password.
 * @param hashes true if the store checks hashes of passwords itself, so that an unknown name needs a decoy.
 * @param open opens a new store that contains `viewers`.
 */
export function userStoreContract(
  name: string,
  { finds, hashes }: { finds: boolean; hashes: boolean },
  open: (viewers: readonly ContractViewer[]) => Promise<UserStore>,
): void {
  // Hashing is slow while other tests run.
  describe(`user store contract: ${name}`, { timeout: 30_000 }, () => {
    let store: UserStore
    beforeEach(async () => {
      store = await open(contractViewers)
    })
    afterEach(async () => {
      await store.close()
    })
    testSignIns(() => store)
    testLookUps(() => store, finds)
    testRefusals(() => store)
    testAvailability(() => store)

    // The hash takes more than ten times as long as a new one of this app: a third tells them apart on a busy machine.
    if (!hashes) return
    test('an unknown name takes as long as a viewer with a slow hash', async () => {
      await store.close()
      store = await open(onlyBea)
      const knownMs = await shortestRefusalMs(store, bea.username)
      expect(await shortestRefusalMs(store, 'nobody@example.com')).toBeGreaterThan(knownMs / 3)
    })
  })
}

/** Returns the shortest time of three wrong passwords. */
async function shortestRefusalMs(store: UserStore, username: string): Promise<number> {
  const times: number[] = []
  for (const password of ['wrong', 'also wrong', 'still wrong']) {
    const startMs = performance.now()
    expect(await store.authenticate(username, password)).toEqual({ ok: false, reason: 'wrong-credentials' })
    times.push(performance.now() - startMs)
  }
  return Math.min(...times)
}

/** Runs the work once for each list of viewers, to save time: the contract never changes the viewers. */
export function oncePerList<Made>(make: (viewers: readonly ContractViewer[]) => Promise<Made>): typeof make {
  const made = new Map<readonly ContractViewer[], Promise<Made>>()
  return function makeOnce(viewers) {
    const making = made.get(viewers) ?? make(viewers)
    made.set(viewers, making)
    return making
  }
}

function testSignIns(store: () => UserStore): void {
  test.each([
    ['as the store spells it', 'Ada@Example.com'],
    ['in lower case', 'ada@example.com'],
    ['in upper case', 'ADA@EXAMPLE.COM'],
  ])('the right password with the name %s returns the viewer, spelled as stored', async (_how, username) => {
    expect(await store().authenticate(username, ada.password)).toEqual({
      ok: true,
      viewer: expect.objectContaining(viewer),
    })
  })

  test('a name typed in decomposed Unicode is the same name', async () => {
    const answer = await store().authenticate('e\u0301mil', emil.password)
    expect(answer).toMatchObject({ ok: true, viewer: { username: 'Émil', groups: [], attributes: {} } })
  })

  test('a disabled viewer learns it after the right password only', async () => {
    expect(await store().authenticate(gone.username, gone.password)).toEqual({ ok: false, reason: 'disabled' })
    expect(await store().authenticate(gone.username, 'wrong')).toEqual({ ok: false, reason: 'wrong-credentials' })
  })

  test('store check finds no broken promise', async () => {
    const open = () => Promise.resolve({ ...store(), close: () => Promise.resolve() })
    const viewers = { username: ada.username, password: ada.password, disabled: null }
    const states = new Map<string, string>()
    for await (const { code, state } of storeChecks.checkStore(open, viewers, null)) states.set(code, state)
    expect([...states].filter(([, state]) => state === 'failure')).toEqual([])
    for (const code of ['reachable', 'unknown-viewer', 'odd-names', 'wrong-password', 'right-password', 'no-cache']) {
      expect([code, states.get(code)]).toEqual([code, 'ok'])
    }
  })
}

function testLookUps(store: () => UserStore, finds: boolean): void {
  if (!finds) {
    test('a store that cannot look up viewers has no find method', () => {
      expect(store().find).toBeUndefined()
    })
    return
  }
  test('a look-up finds a viewer in any letter case, unless disabled', async () => {
    expect(await store().find?.('ADA@example.com')).toEqual(expect.objectContaining(viewer))
    expect(await store().find?.(gone.username)).toBeNull()
  })

  test('a look-up returns the viewer as the sign-in does, with the same version of the password', async () => {
    const found = await store().find?.(ada.username)
    expect(await store().authenticate(ada.username, ada.password)).toEqual({ ok: true, viewer: found })
  })

  test('an inspected viewer may be disabled, and shows no hash', async () => {
    const { inspect } = store()
    if (inspect === undefined) return
    const state = { hasPassword: true, invitation: null }
    expect(await inspect('ADA@example.com')).toEqual({ viewer: { ...viewer, disabled: false }, ...state })
    expect(await inspect(gone.username)).toMatchObject({
      viewer: { username: gone.username, disabled: true },
      ...state,
    })
    for (const [, username] of refusedNames) expect(await inspect(username)).toBeNull()
  })

  test.each(refusedNames)('a look-up of %s finds no viewer', async (_what, username) => {
    expect(await store().find?.(username)).toBeNull()
  })
}

function testRefusals(store: () => UserStore): void {
  const wrong = { ok: false, reason: 'wrong-credentials' }

  test.each(refusedNames)('a sign-in with %s is refused, not an error', async (_what, username) => {
    expect(await store().authenticate(username, ada.password)).toEqual(wrong)
  })

  test.each([
    ['another password', 'wrong'],
    ['an empty password', ''],
    ['the right password in another letter case', ada.password.toUpperCase()],
    ['the right password without its spaces', ada.password.trim()],
    ['the right password in decomposed Unicode', ada.password.normalize('NFD')],
    ['the right password and a NUL', `${ada.password}\0`],
    ['the right password without its last character', ada.password.slice(0, -1)],
    ['a password of 100 kB', 'x'.repeat(100_000)],
    ['a password with SQL that is always true', "' OR '1'='1"],
  ])('a sign-in with %s is refused, not an error', async (_what, password) => {
    expect(await store().authenticate(ada.username, password)).toEqual(wrong)
  })

  test('a lone surrogate in a password does not match the replacement character', async () => {
    expect(await store().authenticate(emil.username, emil.password)).toMatchObject({ ok: true })
    expect(await store().authenticate(emil.username, emil.password.replace('\uFFFD', '\uD800'))).toEqual(wrong)
  })
}

function testAvailability(store: () => UserStore): void {
  test('an open store is healthy', async () => {
    await expect(store().checkHealth()).resolves.toBeUndefined()
  })

  test('200 sign-ins at once each get the right answer or an OverloadedError, and the next one works', async () => {
    const startMs = performance.now()
    const attempts = Array.from({ length: 200 }, (_, index) =>
      store()
        .authenticate(ada.username, index % 2 === 0 ? ada.password : 'wrong')
        .then(
          ({ ok }) => ok === (index % 2 === 0),
          (error: unknown) => {
            // The check before a sign-in must refuse at the same moment. A later refusal may end a long wait instead.
            const isAtOnce = performance.now() - startMs < 1_000
            if (isAtOnce && store().assertCapacity) expect(() => store().assertCapacity?.()).toThrow(OverloadedError)
            return error instanceof OverloadedError && error.retryAfterSeconds > 0
          },
        ),
    )
    expect(new Set(await Promise.all(attempts))).toEqual(new Set([true]))
    expect(await store().authenticate(ada.username, ada.password)).toMatchObject({ ok: true })
  })

  test('a closed store throws an UpstreamError for every call, and can be closed again', async () => {
    await store().close()
    await expect(store().authenticate(ada.username, ada.password)).rejects.toThrow(UpstreamError)
    await expect(store().checkHealth()).rejects.toThrow(UpstreamError)
    await store().close()
  })
}
