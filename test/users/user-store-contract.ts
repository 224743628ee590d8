import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { OverloadedError, UpstreamError } from '../../src/errors.ts'
import type { UserStore, Viewer } from '../../src/users/user-store.ts'

export interface ContractViewer extends Viewer {
  readonly password: string
  readonly disabled: boolean
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

/** Whom every store under contract knows. */
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
  ['a lone surrogate', 'Ada@Example.com\uD800'],
  ['a line break, as in a header', 'Ada@Example.com\r\nX-Admin: 1'],
  ['a vertical bar', 'Ada@Example.com|admin'],
  ['100 kB', 'a'.repeat(100_000)],
  ['100 kB of marks that combine', `a${'\u0301\u0327'.repeat(50_000)}`],
  ['SQL that is always true', "' OR '1'='1"],
  ['SQL that ends the statement', `Ada@Example.com'; DROP TABLE viewers; --`],
  ['a SQL pattern', '%'],
  ['LDAP filter characters', '*)(uid=*'],
  ['an LDAP name', 'cn=Ada,dc=example,dc=com'],
  ['the name of what every object has', '__proto__'],
]

/**
 * What every user store promises, run against the real thing.
 * @param finds whether it can look a viewer up without a password.
 * @param open opens a fresh store that knows `viewers`, however it learns of them.
 */
export function userStoreContract(
  name: string,
  finds: boolean,
  open: (viewers: readonly ContractViewer[]) => Promise<UserStore>,
): void {
  // The stores hash, and some are servers, on a machine that runs other tests as well.
  describe(`user store contract: ${name}`, { timeout: 30_000 }, () => {
    let store: UserStore
    beforeEach(async () => {
      store = await open(contractViewers)
    })
    afterEach(async () => {
      await store.close()
    })
    answers(() => store)
    lookUps(() => store, finds)
    refusals(() => store)
    endurance(() => store)
  })
}

function answers(store: () => UserStore): void {
  test.each([
    ['as the store spells it', 'Ada@Example.com'],
    ['in lower case', 'ada@example.com'],
    ['in upper case', 'ADA@EXAMPLE.COM'],
  ])('the right password with the name %s gives the viewer, spelled as stored', async (_how, username) => {
    expect(await store().authenticate(username, ada.password)).toEqual({ ok: true, viewer })
  })

  test('a name typed with its accent apart is the same name', async () => {
    const answer = await store().authenticate('e\u0301mil', emil.password)
    expect(answer).toEqual({ ok: true, viewer: { username: 'Émil', groups: [], attributes: {} } })
  })

  test('a disabled viewer is told so after the right password only', async () => {
    expect(await store().authenticate(gone.username, gone.password)).toEqual({ ok: false, reason: 'disabled' })
    expect(await store().authenticate(gone.username, 'wrong')).toEqual({ ok: false, reason: 'wrong-credentials' })
  })
}

function lookUps(store: () => UserStore, finds: boolean): void {
  if (!finds) {
    test('nobody can be looked up without a password, and the store says so', () => {
      expect(store().find).toBeUndefined()
    })
    return
  }
  test('a viewer is found without a password, whatever the case, unless disabled', async () => {
    expect(await store().find?.('ADA@example.com')).toEqual(viewer)
    expect(await store().find?.(gone.username)).toBeNull()
  })

  test.each(refusedNames)('%s finds nobody', async (_what, username) => {
    expect(await store().find?.(username)).toBeNull()
  })
}

function refusals(store: () => UserStore): void {
  const wrong = { ok: false, reason: 'wrong-credentials' }

  test.each(refusedNames)('%s is refused, not an error', async (_what, username) => {
    expect(await store().authenticate(username, ada.password)).toEqual(wrong)
  })

  test.each([
    ['another one', 'wrong'],
    ['an empty one', ''],
    ['the right one in another case', ada.password.toUpperCase()],
    ['the right one without its spaces', ada.password.trim()],
    ['the right one with its accent apart', ada.password.normalize('NFD')],
    ['the right one followed by NUL', `${ada.password}\0`],
    ['the right one cut short', ada.password.slice(0, -1)],
    ['100 kB', 'x'.repeat(100_000)],
    ['SQL that is always true', "' OR '1'='1"],
  ])('of passwords, %s is refused, not an error', async (_what, password) => {
    expect(await store().authenticate(ada.username, password)).toEqual(wrong)
  })

  test('half a character does not pass for the sign that replaces one', async () => {
    expect(await store().authenticate(emil.username, emil.password)).toMatchObject({ ok: true })
    expect(await store().authenticate(emil.username, emil.password.replace('\uFFFD', '\uD800'))).toEqual(wrong)
  })
}

function endurance(store: () => UserStore): void {
  test('a store that can answer is healthy', async () => {
    await expect(store().checkHealth()).resolves.toBeUndefined()
  })

  test('200 sign-ins at once are each answered rightly or refused as too many, and the next one passes', async () => {
    const attempts = Array.from({ length: 200 }, (_, index) =>
      store()
        .authenticate(ada.username, index % 2 === 0 ? ada.password : 'wrong')
        .then(
          ({ ok }) => ok === (index % 2 === 0),
          (error: unknown) => {
            // Whoever asks before, is told the same.
            if (store().assertCapacity) expect(() => store().assertCapacity?.()).toThrow(OverloadedError)
            return error instanceof OverloadedError && error.retryAfterSeconds > 0
          },
        ),
    )
    expect(new Set(await Promise.all(attempts))).toEqual(new Set([true]))
    expect(await store().authenticate(ada.username, ada.password)).toMatchObject({ ok: true })
  })

  test('a closed store says that it cannot be reached, and may be closed again', async () => {
    await store().close()
    await expect(store().authenticate(ada.username, ada.password)).rejects.toThrow(UpstreamError)
    await expect(store().checkHealth()).rejects.toThrow(UpstreamError)
    await store().close()
  })
}
