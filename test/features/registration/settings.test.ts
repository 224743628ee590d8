import { expect, test } from 'vitest'
import { fieldText } from '../../../src/features/registration/settings/field.ts'
import { registrationFields, warningsOfRegistration } from '../../../src/features/registration/settings/settings.ts'
import { readSettings } from './registration-settings.ts'

const LABEL = 'Company'
const text = { name: 'company', kind: 'text', label: LABEL }

const mistakesIn = (given: unknown) => {
  const json = typeof given === 'string' ? given : JSON.stringify(given)
  const parsed = registrationFields.settings().registration.safeParse(json)
  return (parsed.error?.issues ?? []).map(({ message }) => message)
}

test('an empty object is an open registration with an address alone', () => {
  expect(readSettings({})).toEqual({
    fields: [],
    approval: { kind: 'none' },
    group: null,
    most: null,
    hasWaitingList: false,
    closesAt: null,
    deletesAt: null,
  })
})

test('all settings of a registration are read', () => {
  const consent = {
    name: 'terms',
    kind: 'consent',
    label: 'I agree',
    url: 'https://a.example/',
    document: 'Terms',
    version: '2',
  }
  const choice = { name: 'seat', kind: 'choice', label: 'Seat', options: ['A', { value: 'B', label: { en: 'Bee' } }] }
  const given = {
    fields: [
      { ...text, label: { en: LABEL, de: 'Firma' }, most: 40, required: 'on', autocomplete: 'organization' },
      choice,
      consent,
    ],
    approval: 'domains',
    domains: ['Example.com', '*@bücher.example'],
    group: 'guests',
    most: 500,
    waitingList: 'on',
    closesAt: '2026-11-27T20:00+01:00',
    deletesAt: '2026-12-27T20:00+01:00',
  }
  expect(readSettings(given)).toMatchObject({
    fields: [
      { name: 'company', label: { en: LABEL, de: 'Firma' }, most: 40, isRequired: true, autocomplete: 'organization' },
      { options: [{ value: 'A', label: 'A' }, { value: 'B' }], isRequired: false },
      { url: 'https://a.example/', document: 'Terms', version: '2', isRequired: true },
    ],
    approval: { kind: 'domains', domains: ['example.com', 'xn--bcher-kva.example'] },
    hasWaitingList: true,
    closesAt: { seconds: 1_795_806_000, zone: '+01:00' },
  })
})

test.each([
  ['text that is not JSON', '{', ['must be a JSON object: src/features/registration/README.md has an example']],
  ['a list', [], [': must be an object']],
  ['a name of every viewer', { fields: [{ ...text, name: 'username' }] }, [': fields, item 1, name is reserved']],
  [
    'the end of an account',
    { fields: [{ ...text, name: 'AccountEndsAt' }] },
    [': fields, item 1, name is the end of an account, which no guest may choose'],
  ],
  ['a name of two fields', { fields: [text, text] }, [': two fields have the name "company"']],
  [
    'too many fields',
    { fields: Array(13).fill({ ...text, most: 9 }) },
    [': fields must have at most 12 fields', ': two fields have the name "company"'],
  ],
  [
    'an unknown kind',
    { fields: [{ ...text, kind: 'date' }] },
    [': fields, item 1, kind must be text, choice, box or consent'],
  ],
  ['an unknown name', { color: 1 }, [': has unknown names: "color"']],
  [
    'a consent without a version',
    { fields: [{ ...text, kind: 'consent' }] },
    [': fields, item 1, version must be text'],
  ],
  [
    'a purpose that browsers do not know',
    { fields: [{ ...text, autocomplete: 'firm' }] },
    [': fields, item 1, autocomplete must be a purpose, such as organization'],
  ],
  [
    'a purpose of a password',
    { fields: [{ ...text, autocomplete: 'current-password' }] },
    [': fields, item 1, autocomplete must be a purpose, such as organization'],
  ],
  [
    'a consent with a script',
    { fields: [{ ...text, kind: 'consent', version: '1', url: 'javascript:alert(1)' }] },
    [': fields, item 1, url must be an https: address'],
  ],
  [
    'a choice of one',
    { fields: [{ ...text, kind: 'choice', options: ['A'] }] },
    [': fields, item 1, options must have at least two options'],
  ],
  [
    'a choice with an option twice',
    { fields: [{ ...text, kind: 'choice', options: ['A', 'A'] }] },
    [': fields, item 1, options has an option twice'],
  ],
  [
    'answers that are longer than the form',
    { fields: ['a', 'b', 'c', 'd', 'e'].map((name) => ({ ...text, name, most: 200 })) },
    [': the answers may have 1000 characters, and 800 at most'],
  ],
  ['a waiting list without an end', { waitingList: 'on' }, [': waitingList needs most']],
  ['approval by no domain', { approval: 'domains' }, [': approval by domains needs domains']],
  ['domains without approval', { domains: ['example.com'] }, [': domains needs approval: domains']],
  [
    'a time without a zone',
    { closesAt: '2026-11-27T20:00' },
    [': closesAt must be a time with a zone, such as 2026-11-27T20:00+01:00'],
  ],
  [
    'a deletion before the end',
    { closesAt: '2026-11-27T20:00Z', deletesAt: '2026-11-27T20:00Z' },
    [': deletesAt is not after closesAt'],
  ],
])('%s is refused', (_case, given, mistakes) => {
  expect(mistakesIn(given)).toEqual(mistakes)
})

test('all mistakes are listed at once', () => {
  const given = {
    fields: [{ ...text, label: '' }, { ...text, kind: 'box' }, 7],
    most: 0,
    waitingList: true,
    group: 'a,b',
  }
  expect(mistakesIn(given)).toHaveLength(6)
})

test('a label is in the language of the guest, else in the default language, else in the first', () => {
  const label = { fr: 'Société', de: 'Firma' }
  expect(['fr', 'ja'].map((language) => fieldText(label, language, 'de'))).toEqual(['Société', 'Firma'])
  expect(fieldText(label, 'ja', 'en')).toBe('Société')
})

test('a registration that is over is a warning', () => {
  const settings = readSettings({ closesAt: '2026-11-27T20:00Z', deletesAt: '2026-11-28T20:00Z' })
  const daySeconds = Date.parse('2026-11-28T20:00Z') / 1000
  expect(warningsOfRegistration(settings, 'default', daySeconds - 86_401)).toEqual([])
  expect(warningsOfRegistration(settings, 'default', daySeconds)).toEqual([
    'Entry point default: registration closed at 2026-11-27T20:00Z. Guests cannot register. Change closesAt.',
    'Entry point default: registrations were deleted at 2026-11-28T20:00Z. Guests can neither register nor watch. Change deletesAt.',
  ])
})
