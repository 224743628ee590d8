import { describe, expect, test } from 'vitest'
import { decideAccess } from '../../src/login/access-policy.ts'
import type { Viewer } from '../../src/users/user-store.ts'

const EVERYONE = { allowedGroups: null, parameters: [{ name: 'user', attribute: 'username' }] }
const ADA: Viewer = { username: 'ada', groups: ['gold', 'staff'], attributes: { plan: 'big', company: 'Acme' } }

function sending(...attributes: string[]) {
  return { ...EVERYONE, parameters: attributes.map((attribute) => ({ name: `p-${attribute}`, attribute })) }
}

describe('who may watch', () => {
  test.each([
    ['everyone, where no group is named', null, ['gold'], true],
    ['somebody without a group, where no group is named', null, [], true],
    ['a member of a named group', ['gold'], ['silver', 'gold'], true],
    ['a member of any of the named groups', ['silver', 'gold'], ['gold'], true],
    ['nobody without a group, where one is named', ['gold'], [], false],
    ['no member of others', ['gold'], ['silver'], false],
    ['nobody, where the list is empty', [], ['gold'], false],
    ['no member of a group that differs in case', ['gold'], ['Gold'], false],
    ['no member of a group that only begins so', ['gold'], ['golden', 'gol'], false],
    ['no member of a group of the same letters, spelled otherwise', ['gold'], ['gold '], false],
    ['no member of a group named like what every list has', ['length'], ['gold'], false],
  ])('%s', (_case, allowedGroups, groups, isAllowed) => {
    const decision = decideAccess({ ...ADA, groups }, { ...EVERYONE, allowedGroups }, {})
    expect(decision).toEqual(
      isAllowed ? { ok: true, parameters: [['user', 'ada']] } : { ok: false, reason: 'not-entitled' },
    )
  })

  test('does not depend on the content, which is the viewer’s to change', () => {
    for (const content of [{}, { type: 'channel', id: '1' }, { type: 'recorded', id: '2' }]) {
      expect(decideAccess(ADA, EVERYONE, content)).toEqual(decideAccess(ADA, EVERYONE, {}))
    }
  })

  test('is decided before anything is said of attributes', () => {
    const decision = decideAccess(ADA, { ...sending('missing'), allowedGroups: ['platinum'] }, {})
    expect(decision).toEqual({ ok: false, reason: 'not-entitled' })
  })
})

describe('what the player learns', () => {
  test('is what the settings name, in their order, and nothing else', () => {
    expect(decideAccess(ADA, sending('company', 'username', 'plan'), {})).toEqual({
      ok: true,
      parameters: [
        ['p-company', 'Acme'],
        ['p-username', 'ada'],
        ['p-plan', 'big'],
      ],
    })
  })

  test('is the name the viewer signs in with, even where an attribute is called like it', () => {
    const viewer = { ...ADA, attributes: { username: 'root' } }
    expect(decideAccess(viewer, sending('username'), {})).toEqual({ ok: true, parameters: [['p-username', 'ada']] })
  })

  test('can be one attribute twice, by two names', () => {
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
    'is never what every object has: %s is missing unless the viewer has it',
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
  ])('is nothing at all where a value is %j', (value, fault) => {
    const viewer = { ...ADA, attributes: { plan: 'big', company: value } }
    expect(decideAccess(viewer, sending('plan', 'company'), {})).toEqual({
      ok: false,
      reason: 'unusable-attribute',
      attribute: 'company',
      fault,
    })
  })
})
