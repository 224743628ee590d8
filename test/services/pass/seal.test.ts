import { describe, expect, test } from 'vitest'
import { createSeal } from '../../../src/services/pass/seal.ts'

const SECRET = 'a secret of the session cookies, 32 characters'
const seal = createSeal([SECRET], 'waiting')

test('a sealed text opens with its binding, and two seals of a text differ', () => {
  const one = seal.seal('Ada ü', 'gold')
  const other = seal.seal('Ada ü', 'gold')
  expect(one).not.toBe(other)
  expect(one).toMatch(/^[\w-]+$/)
  expect([seal.open(one, 'gold'), seal.open(other, 'gold')]).toEqual(['Ada ü', 'Ada ü'])
})

test('a sealed text does not open with another binding, use or secret', () => {
  const sealed = seal.seal('Ada', 'gold')
  expect(seal.open(sealed, 'silver')).toBeNull()
  expect(createSeal([SECRET], 'screens').open(sealed, 'gold')).toBeNull()
  expect(createSeal([`${SECRET}.`], 'waiting').open(sealed, 'gold')).toBeNull()
})

test('a seal of the secret before opens while the secret changes', () => {
  const before = seal.seal('Ada', 'gold')
  const both = createSeal(['the new secret of the session cookies', SECRET], 'waiting')
  expect(both.open(before, 'gold')).toBe('Ada')
  expect(seal.open(both.seal('Ada', 'gold'), 'gold')).toBeNull()
})

describe('a sealed text that is changed', () => {
  const sealed = seal.seal('{"viewer":"ada"}', 'gold')

  test('does not open with another character in any place', () => {
    for (let place = 0; place < sealed.length; place += 1) {
      for (const other of ['A', 'B', '_', '=', '+', ' ']) {
        if (sealed[place] === other) continue
        expect(seal.open(sealed.slice(0, place) + other + sealed.slice(place + 1), 'gold')).toBeNull()
      }
    }
  })
  test.each([
    ['nothing', ''],
    ['one character', 'A'],
    ['its end', sealed.slice(1)],
    ['its start', sealed.slice(0, -1)],
    ['whole bytes of its start', sealed.slice(0, -4)],
    ['no ciphertext', sealed.slice(0, 38)],
    ['more bytes', `${sealed}AAAA`],
    ['padding', `${sealed}=`],
    ['a space', ` ${sealed}`],
    ['itself twice', sealed.repeat(2)],
  ])('does not open as %s', (_what, changed) => {
    expect(seal.open(changed, 'gold')).toBeNull()
  })
})
