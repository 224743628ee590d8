import { expect, test } from 'vitest'
import { decideAccess } from '../../src/login/access-policy.ts'
import type { Viewer } from '../../src/users/user-store.ts'
import { ENTRY_POINT } from './entry-point.ts'
import { expectRefused } from './refused-answer.ts'
import { startLoginApp } from './start-login-app.ts'

const EVERYONE = {
  viewerAuth: 'hash' as const,
  allowedGroups: null,
  parameters: [{ name: 'user', attribute: 'username' }],
}
const ADA: Viewer = { username: 'ada', groups: ['gold', 'staff'], attributes: { plan: 'big', company: 'Acme' } }

function sending(...attributes: string[]) {
  return { ...EVERYONE, parameters: attributes.map((attribute) => ({ name: `p-${attribute}`, attribute })) }
}

test.each([
  ['everyone may watch if no group is named', null, ['gold'], true],
  ['a viewer without a group may watch if no group is named', null, [], true],
  ['a member of a named group may watch', ['gold'], ['silver', 'gold'], true],
  ['a member of one of several named groups may watch', ['silver', 'gold'], ['gold'], true],
  ['a viewer without a group may not watch if a group is named', ['gold'], [], false],
  ['a member of another group may not watch', ['gold'], ['silver'], false],
  ['no viewer may watch if the list is empty', [], ['gold'], false],
  ['a member of a group that differs in case may not watch', ['gold'], ['Gold'], false],
  ['a member of a group with the same prefix may not watch', ['gold'], ['golden', 'gol'], false],
  ['a member of a group that differs in a space may not watch', ['gold'], ['gold '], false],
  ['a member may not watch if the named group is a property of arrays', ['length'], ['gold'], false],
])('%s', (_case, allowedGroups, groups, isAllowed) => {
  const decision = decideAccess({ ...ADA, groups }, { ...EVERYONE, allowedGroups }, {})
  expect(decision).toEqual(
    isAllowed ? { ok: true, parameters: [['user', 'ada']] } : { ok: false, reason: 'not-entitled' },
  )
})

test('the decision does not depend on the channel or video, because the viewer can change both', () => {
  for (const content of [{}, { type: 'channel', id: '1' }, { type: 'recorded', id: '2' }]) {
    expect(decideAccess(ADA, EVERYONE, content)).toEqual(decideAccess(ADA, EVERYONE, {}))
  }
})

test('the group is checked before the attributes', () => {
  const decision = decideAccess(ADA, { ...sending('missing'), allowedGroups: ['platinum'] }, {})
  expect(decision).toEqual({ ok: false, reason: 'not-entitled' })
})

test('the player gets only the configured parameters, in their order', () => {
  expect(decideAccess(ADA, sending('company', 'username', 'plan'), {})).toEqual({
    ok: true,
    parameters: [
      ['p-company', 'Acme'],
      ['p-username', 'ada'],
      ['p-plan', 'big'],
    ],
  })
})

test('the parameter username is the name of the viewer, even if an attribute has that name', () => {
  const viewer = { ...ADA, attributes: { username: 'root' } }
  expect(decideAccess(viewer, sending('username'), {})).toEqual({ ok: true, parameters: [['p-username', 'ada']] })
})

test('one attribute can be sent as two parameters', () => {
  const parameters = [
    { name: 'a', attribute: 'plan' },
    { name: 'b', attribute: 'plan' },
  ]
  expect(decideAccess(ADA, { ...EVERYONE, parameters }, {})).toMatchObject({
    parameters: [
      ['a', 'big'],
      ['b', 'big'],
    ],
  })
})

test.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'groups', 'attributes'])(
  'the attribute %s is missing unless the viewer has it',
  (attribute) => {
    expect(decideAccess(ADA, sending(attribute), {})).toEqual({
      ok: false,
      reason: 'unusable-attribute',
      attribute,
      fault: 'is missing',
    })
    const attributes = Object.fromEntries([[attribute, 'own']])
    expect(decideAccess({ ...ADA, attributes }, sending(attribute), {})).toEqual({
      ok: true,
      parameters: [[`p-${attribute}`, 'own']],
    })
  },
)

test.each([
  ['', 'is empty'],
  ['a|b', 'contains "|", which separates the hashed values'],
  ['a\nb', 'contains a control character'],
  ['a\0', 'contains a control character'],
  ['\ud800', 'contains half of a character (a lone surrogate)'],
  ['ä'.repeat(128), 'is longer than 255 bytes in UTF-8'],
])('a response is refused if a value is %j', async (value, fault) => {
  const app = await startLoginApp({ entryPoints: [{ ...ENTRY_POINT, ...sending('plan', 'company') }] })
  app.users.add('eve', 'eve’s own', { attributes: { plan: 'big', company: value } })
  expectRefused(await app.post('/sign-in', { username: 'eve', password: 'eve’s own' }), 403)
  expect(app.lines).toMatchObject([{ outcome: 'unusable-attribute', attribute: 'company', reason: fault }])
})
