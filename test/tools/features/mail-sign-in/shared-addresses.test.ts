import { expect, test } from 'vitest'
import { sharedAddressesFact } from '../../../../src/tools/features/mail-sign-in/shared-addresses.ts'
import type { UserStore } from '../../../../src/users/user-store.ts'

const SETTINGS = {
  PUBLIC_URL: 'http://localhost:3000',
  HASH_SECRET: '3f9a1c7be2d846509817abcdef43210fe',
  PLAYER_RETURN_URL: 'http://127.0.0.1:4000/pass',
  PLAYER_ORIGINS: 'http://127.0.0.1:4000',
  USER_STORE_URL: 'sqlite:data/viewers.db',
  SMTP_URL: 'smtp://127.0.0.1:2525',
  MAIL_FROM: 'login@example.com',
}
const IN_MAIL = { MAIL_SIGN_IN: 'store', MAIL_SIGN_IN_ATTRIBUTE: 'mail' }
const SHARED = [{ attribute: 'mail', address: 'desk@example.com' }]
const store = {
  findByAddress: (attribute: string, address: string) =>
    Promise.resolve(attribute === 'mail' && address === 'desk@example.com' ? 'several' : null),
} as Partial<UserStore> as UserStore

test.each([
  ['an address of several viewers, in any letter case', IN_MAIL, { mail: 'Desk@Example.com' }, SHARED],
  ['an address of one viewer', IN_MAIL, { mail: 'ada@example.com' }, []],
  ['no address', IN_MAIL, { mail: 'desk' }, []],
  ['an entry point where the user name is the address', { MAIL_SIGN_IN: 'store' }, { mail: 'desk@example.com' }, []],
  ['an entry point without codes by mail', {}, { mail: 'desk@example.com' }, []],
])('viewers show knows %s', async (_what, settings, attributes, shared) => {
  const viewer = { username: 'ada', groups: [], attributes }
  const fact = await sharedAddressesFact.read(store, viewer, { ...SETTINGS, ...settings })
  expect(fact?.value).toEqual(shared)
  const text = 'refused: other viewers have desk@example.com (mail) too'
  expect(fact?.text).toBe(shared.length === 0 ? null : text)
})

test('a store without look-up, and a machine without the settings of the app, do not know', async () => {
  const viewer = { username: 'ada', groups: [], attributes: { mail: 'desk@example.com' } }
  expect(await sharedAddressesFact.read({} as UserStore, viewer, { ...SETTINGS, ...IN_MAIL })).toBeNull()
  expect(await sharedAddressesFact.read(store, viewer, {})).toBeNull()
})
