import { describe, expect, test } from 'vitest'
import { type Claims, viewerOfClaims } from '../../../../src/features/sso/provider/claims.ts'
import { ssoSettings } from '../start-sso.ts'

const SETTINGS = ssoSettings('https://idp.example')
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
  ['contains "|"', 'ada|1900000000'],
  ['begins with a space', ' ada'],
  ['contains a line end', 'ada\r\nSet-Cookie: a=b'],
  ['is a list', ['ada']],
  ['is a number that JSON rounds', JSON.parse('12345678901234567891')],
  ['is a number in another notation', 1e21],
])('a viewer whose user name %s is refused', (_case, preferred_username) => {
  expect(reasonFor({ preferred_username })).toBe('unusable-claim')
})

test('a viewer without groups has none, and one group may be a text', () => {
  const groupsOf = (groups: unknown) => {
    const answer = answerFor({ groups })
    return answer.ok ? answer.identity.viewer.groups : answer.reason
  }
  expect([groupsOf(undefined), groupsOf('gold'), groupsOf([]), groupsOf([1]), groupsOf({})]).toEqual([
    [],
    ['gold'],
    [],
    'unusable-claim',
    'unusable-claim',
  ])
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
  ['true', 'email-not-verified'],
  [undefined, 'email-not-verified'],
])('an email address with email_verified %s as user name: %s', (email_verified, expected) => {
  expect(reasonFor({ email: 'ada@example.com', email_verified }, { usernameClaim: 'email' })).toBe(expected)
})

test('an email address that is not verified is not an attribute', () => {
  const attributes = [{ name: 'mail', claim: 'email' }]
  const answer = answerFor({ email: 'ada@example.com' }, { attributes })
  expect(answer.ok && answer.identity.viewer.attributes).toEqual({})
})

test('an attribute that no response can carry is refused', () => {
  const attributes = [{ name: 'seat', claim: 'seat' }]
  for (const seat of ['a|b', '\n', {}, ['a']]) expect(reasonFor({ seat }, { attributes })).toBe('unusable-claim')
})

test.each([
  ['Entra ID', 'https://login.microsoftonline.com/common/v2.0', 'tid'],
  ['Google', 'https://accounts.google.com', 'hd'],
])('a person of another organisation is refused, %s', (_name, issuer, claim) => {
  const settings = { issuer, tenants: ['ours'] }
  expect(reasonFor({ [claim]: 'ours' }, settings)).toBe('ok')
  expect(reasonFor({ [claim]: 'theirs' }, settings)).toBe('wrong-tenant')
  expect(reasonFor({}, settings)).toBe('wrong-tenant')
})

test('claims that are too long are refused, and a long session id is left out', () => {
  const long = 'x'.repeat(256)
  expect(reasonFor({ sub: long })).toBe('unusable-claim')
  expect(reasonFor({ preferred_username: long })).toBe('unusable-claim')
  expect(reasonFor({ groups: Array.from({ length: 1_001 }, String) })).toBe('unusable-claim')
  for (const group of [long, 'a|b', '\n', '\ud800', '']) expect(reasonFor({ groups: [group] })).toBe('unusable-claim')
  const answer = answerFor({ sid: long })
  expect(answer.ok && answer.identity.providerSession).toBeNull()
})
