import { describe, expect, test } from 'vitest'
import { type Claims, viewerOfClaims, withUserInfo } from '../../../../src/features/sso/provider/claims.ts'
import { ssoSettings } from '../start-sso.ts'

const SETTINGS = { ...ssoSettings('https://idp.example'), allowedGroups: ['Z'] }
const CLAIMS: Claims = { iss: 'https://idp.example', sub: 'a1', preferred_username: 'ada@example.com' }

const answerFor = (claims: Record<string, unknown>, settings: Partial<typeof SETTINGS> = {}) =>
  viewerOfClaims({ ...CLAIMS, ...claims }, { ...SETTINGS, ...settings })

function reasonFor(claims: Record<string, unknown>, settings: Partial<typeof SETTINGS> = {}) {
  const answer = answerFor(claims, settings)
  return answer.ok ? 'ok' : answer.reason
}

test('claims become a viewer with groups and attributes in canonical form', () => {
  const attributes = [
    { name: 'seat', claim: 'employee_id' },
    { name: 'staff', claim: 'is_staff' },
    { name: 'none', claim: 'missing' },
  ]
  const claims = { groups: ['Mu\u0308nchen', 'gold', 'gold'], employee_id: 17, is_staff: true, sid: 's1' }
  expect(answerFor(claims, { attributes })).toEqual({
    ok: true,
    identity: {
      viewer: {
        username: 'ada@example.com',
        groups: ['M\u00fcnchen', 'gold'],
        attributes: { seat: '17', staff: 'true' },
      },
      issuer: 'https://idp.example',
      subject: 'a1',
      providerSession: 's1',
    },
  })
})

test.each([
  ['is missing', undefined],
  ['is an object', {}],
  ['is empty', ''],
  ['begins with a space', ' ada'],
  ['contains a line end', 'ada\r\nSet-Cookie: a=b'],
  ['is a list', ['ada']],
  ['is a number that JSON rounds', JSON.parse('12345678901234567891')],
  ['is a number in another notation', 1e21],
])('a viewer whose user name %s is refused', (_case, preferred_username) => {
  expect(reasonFor({ preferred_username })).toBe('unusable-claim')
})

test.each([
  ['missing', undefined, 'is missing'],
  ['a list', ['ada'], 'is a list'],
  ['an object', {}, 'is neither a text nor a number nor a boolean'],
])('the log says why a user name that is %s is refused', (_case, preferred_username, fault) => {
  expect(answerFor({ preferred_username })).toMatchObject({ detail: `preferred_username ${fault}` })
})

test('a name with "|", as the subject of Auth0, is left to the answer', () => {
  const attributes = [{ name: 'seat', claim: 'sub' }]
  const answer = answerFor({ sub: 'auth0|123' }, { usernameClaim: 'sub', attributes })
  expect(answer.ok && answer.identity.viewer).toMatchObject({
    username: 'auth0|123',
    attributes: { seat: 'auth0|123' },
  })
})

test('a viewer without groups has none, and one group may be a text', () => {
  const groupsOf = (groups: unknown) => {
    const answer = answerFor({ groups })
    return answer.ok ? answer.identity.viewer.groups : answer.reason
  }
  const groups = [undefined, 'gold', [], [1, 'gold'], {}].map(groupsOf)
  expect(groups).toEqual([[], ['gold'], [], ['gold'], []])
})

test.each([
  ['with "|"', 'a|b', '"a|b"'],
  ['that is empty', '', '""'],
  ['with a control character', '\n', '"\\n"'],
  ['that is half of a character', '\ud800', '"\\ud800"'],
  ['that is too long', 'x'.repeat(256), `"${'x'.repeat(59)}`],
  ['that is a number', 1, '1'],
])('a group %s is left out with a note, and the person passes', (_case, group, shown) => {
  const answer = answerFor({ groups: ['gold', group] })
  expect(answer).toMatchObject({ ok: true, note: `groups: left out 1: ${shown}` })
  expect(answer.ok && answer.identity.viewer.groups).toEqual(['gold'])
})

test('of more than 1,000 groups, those of ALLOWED_GROUPS stay, and the note is short', () => {
  const answer = answerFor({ groups: [...Array.from({ length: 1_100 }, (_, index) => `g${index}`), 'Z'] })
  expect(answer.ok && answer.identity.viewer.groups.length).toBe(1_000)
  expect(answer.ok && answer.identity.viewer.groups).toContain('Z')
  expect(answer).toMatchObject({ note: 'groups: left out 101: "g999", "g1000", "g1001", "g1002", "g1003"' })
})

describe('too many groups for the token', () => {
  test('groups that Entra ID keeps elsewhere are never taken for no groups', () => {
    expect(reasonFor({ _claim_names: { groups: 'src1' } })).toBe('groups-overage')
    expect(reasonFor({ hasgroups: true })).toBe('groups-overage')
  })
  test('roles are complete, also if the groups are elsewhere', () => {
    expect(reasonFor({ _claim_names: { groups: 'src1' }, roles: ['gold'] }, { groupsClaim: 'roles' })).toBe('ok')
  })
})

test.each([
  [true, 'ok'],
  [false, 'email-not-verified'],
  ['true', 'ok'],
  ['false', 'email-not-verified'],
  ['TRUE', 'email-not-verified'],
  ['yes', 'email-not-verified'],
  [1, 'email-not-verified'],
  [null, 'email-not-verified'],
  [undefined, 'email-not-verified'],
])('an email address with email_verified %s as user name: %s', (email_verified, expected) => {
  expect(reasonFor({ email: 'ada@example.com', email_verified }, { usernameClaim: 'email' })).toBe(expected)
})

test.each([
  [
    'the ID token has both',
    { email: 'a@x', email_verified: true },
    { email: 'b@x', email_verified: false },
    'a@x',
    true,
  ],
  ['the ID token has only the address', { email: 'a@x' }, { email: 'b@x', email_verified: true }, 'b@x', true],
  ['user info has only the word', { email: 'a@x' }, { email_verified: true }, 'a@x', undefined],
  ['the ID token has only the word', { email_verified: true }, { email: 'b@x' }, 'b@x', undefined],
])('if %s, the address and email_verified are of one document', (_case, idToken, userInfo, ...expected) => {
  const { email, email_verified: isVerified } = withUserInfo({ ...CLAIMS, ...idToken }, userInfo)
  expect([email, isVerified]).toEqual(expected)
})

test('an email address that is not verified is not an attribute', () => {
  const attributes = [{ name: 'mail', claim: 'email' }]
  const answer = answerFor({ email: 'ada@example.com' }, { attributes })
  expect(answer.ok && answer.identity.viewer.attributes).toEqual({})
})

test('an attribute that no response can carry is refused', () => {
  const attributes = [{ name: 'seat', claim: 'seat' }]
  for (const seat of ['\n', {}, ['a']]) expect(reasonFor({ seat }, { attributes })).toBe('unusable-claim')
})

test.each([
  ['Entra ID', 'https://login.microsoftonline.com/common/v2.0', 'tid'],
  ['Google', 'https://accounts.google.com', 'hd'],
])('a person of another organization is refused, %s', (_name, issuer, claim) => {
  const settings = { issuer, tenants: ['ours'] }
  expect(reasonFor({ [claim]: 'ours' }, settings)).toBe('ok')
  expect(reasonFor({ [claim]: 'theirs' }, settings)).toBe('wrong-tenant')
  expect(reasonFor({}, settings)).toBe('wrong-tenant')
})

test('a subject that is empty or too long is refused, and a long session id is left out', () => {
  const long = 'x'.repeat(256)
  expect(reasonFor({ sub: long })).toBe('unusable-claim')
  expect(reasonFor({ preferred_username: long })).toBe('unusable-claim')
  expect(answerFor({ sub: '' })).toEqual({ ok: false, reason: 'unusable-claim', detail: 'sub is empty' })
  const answer = answerFor({ sid: long })
  expect(answer.ok && answer.identity.providerSession).toBeNull()
})
