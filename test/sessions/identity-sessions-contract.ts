import type { SessionData } from 'express-session'
import { describe, expect, test } from 'vitest'
import type { Identity } from '../../src/sessions/identity.ts'
import type { SessionStore } from '../../src/sessions/session-store.ts'
import { livingOf, type Open, preparedStore, sessionOf, set } from './session-store-contract.ts'

const ISSUER = 'https://idp.example'

/** The session of a viewer whom an identity provider signed in. */
export function providerSessionOf(username: string, signedInAtSeconds: number, origin: Partial<Identity> = {}) {
  const identity = {
    providerId: 'p',
    issuer: ISSUER,
    subject: 'a1',
    providerSession: null,
    endsAtSeconds: 20_000,
    ...origin,
  }
  const snapshot = { groups: [], attributes: {} }
  return {
    cookie: { originalMaxAge: 1000 },
    viewer: { username, signedInAtSeconds, snapshot, identity },
  } as SessionData
}

/** Tests the promises of every session store about SSO viewers, as `sessionStoreContract` does. */
export function identitySessionsContract(name: string, prepare: () => Promise<Open>): void {
  describe(`sessions of SSO viewers in ${name}`, () => {
    const { clock, open } = preparedStore(prepare)
    const ada = () => sessionOf('ada', clock.seconds)

    /** Sessions of one subject and user name, and one of each that must not be taken for them. */
    async function openProviderSessions(): Promise<SessionStore> {
      const sessionStore = await open()
      const add = (id: string, origin: Partial<Identity>) =>
        set(sessionStore, id, providerSessionOf('ada', clock.seconds, origin))
      await set(sessionStore, 'password', ada())
      await add('s1', { providerSession: 's1' })
      await add('s1-again', { providerSession: 's1' })
      await add('s2', { providerSession: 's2' })
      await add('unnamed', {})
      await add('other-subject', { subject: 'b2', providerSession: 's3' })
      await add('other-issuer', { issuer: 'https://other.example', providerSession: 's1' })
      await add('half-character', { subject: '\ud800c', providerSession: '\ud800' })
      return sessionStore
    }
    const PROVIDER_IDS = 'password s1 s1-again s2 unnamed other-subject other-issuer half-character'.split(' ')

    test.each([
      ['a session there', { subject: null, providerSession: 's1' }, ['s1', 's1-again']],
      ['a session there and its subject', { subject: 'a1', providerSession: 's1' }, ['s1', 's1-again', 'unnamed']],
      ['a subject', { subject: 'a1', providerSession: null }, ['s1', 's1-again', 's2', 'unnamed']],
      ['an unknown session', { subject: null, providerSession: 's9' }, []],
      ['an unknown subject', { subject: 'ada', providerSession: null }, []],
      ['a subject with half a character', { subject: '\ud800c', providerSession: null }, ['half-character']],
      ['a session with half a character there', { subject: null, providerSession: '\ud800' }, ['half-character']],
      ['the session of another viewer', { subject: 'b2', providerSession: 's9' }, []],
    ])(
      `the session store in ${name} ends the sessions of %s at a provider, and no others`,
      async (_what, ended, ids) => {
        const sessionStore = await openProviderSessions()
        expect(await sessionStore.endIdentitySessions({ issuer: ISSUER, ...ended })).toBe(ids.length)
        expect(await livingOf(sessionStore, PROVIDER_IDS)).toEqual(PROVIDER_IDS.filter((id) => !ids.includes(id)))
        expect(await sessionStore.endIdentitySessions({ issuer: ISSUER, ...ended })).toBe(0)
      },
    )

    test(`the session store in ${name} does not take an SSO viewer for a password viewer with the same name`, async () => {
      const sessionStore = await openProviderSessions()
      expect(await sessionStore.endSessionsOf('ada')).toBe(1)
      expect(await livingOf(sessionStore, PROVIDER_IDS)).toEqual(PROVIDER_IDS.slice(1))
    })

    test(`the session store in ${name} keeps the newest 20 sessions of each viewer with the same name`, async () => {
      const sessionStore = await open()
      await set(sessionStore, 'password', ada())
      await set(sessionStore, 'other', providerSessionOf('ada', clock.seconds, { subject: 'b2' }))
      const ids = Array.from({ length: 22 }, (_, index) => `s${index}`)
      for (const id of ids)
        await set(sessionStore, id, providerSessionOf('ada', clock.seconds, { providerSession: id }))
      expect(await livingOf(sessionStore, ['password', 'other', ...ids])).toEqual([
        'password',
        'other',
        ...ids.slice(2),
      ])
    })
  })
}
