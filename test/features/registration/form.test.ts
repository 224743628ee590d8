import { expect, test } from 'vitest'
import { attributesOf, openStep, readStep, stepsOf } from '../../../src/features/registration/form/form.ts'
import { readSettings } from './registration-settings.ts'

const { fields } = readSettings({
  fields: [
    { name: 'company', kind: 'text', label: 'Company', most: 10, required: 'on' },
    { name: 'Größe', kind: 'text', label: 'Size' },
    { name: 'seat', kind: 'choice', label: 'Seat', options: ['A', 'B'] },
    { name: 'news', kind: 'box', label: 'News' },
    { name: 'terms', kind: 'consent', label: 'Terms', version: '2026-11' },
  ],
})
const steps = stepsOf(fields)
const rules = { isSent: (name: string) => name === 'Größe', canSend: (value: string) => !value.includes('|') }
const read = (number: number, body: object) => readStep(steps[number] ?? [], { ...body }, rules)

test('a form of five fields has three steps', () => {
  expect(steps.map((step) => step.map(({ input }) => input))).toEqual([
    ['field1', 'field2'],
    ['field3', 'field4'],
    ['field5'],
  ])
})

test('a step reads its own fields, and nothing else of the body', () => {
  const body = { field1: ' Acme ', field2: 'L', field3: 'A', company: 'x', groups: 'admins', username: 'root' }
  expect(read(0, body)).toMatchObject({ answers: { company: 'Acme', Größe: 'L' }, faults: new Map() })
})

test.each([
  ['a required field is missing', 0, { field2: 'L' }, { company: 'missing' }],
  ['a field that the player needs is missing', 0, { field1: 'Acme' }, { Größe: 'missing' }],
  ['a text is too long', 0, { field1: 'A'.repeat(11), field2: 'L' }, { company: 'tooLong' }],
  ['a text is much too long', 0, { field1: 'A'.repeat(7_000), field2: 'L' }, { company: 'tooLong' }],
  ['a control character', 0, { field1: 'a\u0007b', field2: 'L' }, { company: 'unreadable' }],
  ['half of a character', 0, { field1: 'a\ud800', field2: 'L' }, { company: 'unreadable' }],
  ['a sign that the player cannot get', 0, { field1: 'a|b', field2: 'a|b' }, { Größe: 'unreadable' }],
  ['a direction mark inside', 0, { field1: 'a\u202eb', field2: 'L' }, { company: 'unreadable' }],
  ['a repeated field', 0, { field1: ['a', 'b'], field2: 'L' }, { company: 'unreadable' }],
  ['an option that is not offered', 1, { field3: 'C' }, { seat: 'notAnOption' }],
  ['a box with another value', 1, { field4: 'maybe' }, { news: 'notAnOption' }],
  ['a consent that was not given', 2, {}, { terms: 'missing' }],
  ['a consent to an older version', 2, { field5: '2025-11' }, { terms: 'missing' }],
])('%s is a fault of the field', (_case, number, body, faults) => {
  expect(Object.fromEntries(read(number, body).faults)).toEqual(faults)
})

test('an answer is stored without hidden characters', () => {
  const body = { field1: '\u200bAc\u00adme\u200e ', field2: 'L' }
  expect(read(0, body)).toMatchObject({ answers: { company: 'Acme' }, faults: new Map() })
})

test('an optional answer may be left out, and is then not an attribute', () => {
  const { answers, faults } = read(1, {})
  expect([answers, faults.size]).toEqual([{ seat: '', news: 'no' }, 0])
  expect(attributesOf(fields, answers)).toEqual({ news: 'no' })
})

test('the text is stored in its canonical form', () => {
  expect(read(0, { field1: 'Cafe\u0301', field2: 'L' }).answers.company).toBe('Caf\u00e9')
})

test('a form is open until each step has right answers', () => {
  const first = read(0, { field1: 'Acme', field2: 'L' }).answers
  const last = read(2, { field5: '2026-11' }).answers
  expect(openStep(steps, {}, rules)).toBe(0)
  expect(openStep(steps, first, rules)).toBe(1)
  expect(openStep(steps, { ...first, ...last }, rules)).toBe(1)
  expect(openStep(steps, { ...first, ...read(1, {}).answers, ...last }, rules)).toBeNull()
  expect(openStep(steps, { ...first, ...read(1, {}).answers, terms: '2025-11' }, rules)).toBe(2)
})

test('names of every object are not answers', () => {
  const { fields: named } = readSettings({ fields: [{ name: 'toString', kind: 'text', label: 'x' }] })
  expect(openStep(stepsOf(named), {}, rules)).toBe(0)
})
