import { expect, test } from 'vitest'
import { StoredSession, storableSession } from '../../src/sessions/session-store.ts'

const IDENTITY = {
  issuer: 'https://idp.example',
  subject: 'a1',
  providerSession: null,
  providerId: 'p',
  endsAtSeconds: 20_000,
}

test('the identity of a viewer is stored as in the release before', () => {
  const viewer = { username: 'ada', signedInAtSeconds: 10_000, snapshot: { groups: [], attributes: {} } }
  const stored = { cookie: {}, viewer: { ...viewer, sso: IDENTITY } }
  const { viewer: read } = StoredSession.parse(stored)
  expect(read).toEqual({ ...viewer, identity: IDENTITY })
  expect(storableSession({ cookie: {} as never, viewer: read })).toEqual(stored)
})
