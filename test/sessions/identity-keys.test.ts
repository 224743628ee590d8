import { expect, test } from 'vitest'
import { keysOfIdentity, keysOfLogout } from '../../src/sessions/identity.ts'

const ADA = { issuer: 'https://idp.example', subject: 'ada' }

test.each([
  ['of one session and its viewer', { ...ADA, providerSession: 's1' }, ['s1', null]],
  ['of one session', { ...ADA, subject: null, providerSession: 's1' }, ['s1']],
  ['of a viewer', { ...ADA, providerSession: null }, ['s1', 's2', null]],
  ['of another viewer', { ...ADA, subject: 'bob', providerSession: null }, []],
  ['of nobody', { ...ADA, subject: null, providerSession: null }, []],
])('a logout %s finds the sign-ins that it concerns', (_case, logout, expected) => {
  const keys = keysOfLogout(logout)
  const found = ['s1', 's2', null].filter((providerSession) => {
    const { viewer, session } = keysOfIdentity({ ...ADA, providerSession })
    return keys.includes(viewer) || keys.includes(session)
  })
  expect(found).toEqual(expected)
})
