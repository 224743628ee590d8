import { expect, test } from 'vitest'
import { countPeople, peopleOf } from '../../../../../src/tools/features/mail/manager/event-people.ts'
import { eventAt } from '../../../../../src/tools/manager/mails/event-at.ts'

const ENTRY_POINT = { name: 'default', allowedGroups: null, brand: { defaultLanguage: 'en' } }

test('a person with an account and a registration of one address is listed once, and a blocked one never', async () => {
  const viewer = { username: 'ada', groups: [], attributes: { mail: 'Ada@example.com' }, disabled: false }
  const blocked = { ...viewer, username: 'Eve@example.com', disabled: true }
  const known = [viewer, blocked].map((one) => ({ viewer: one, hasPassword: true, invitation: null }))
  const guests = ['ada', 'joe', 'eve'].map((name) => ({ username: `${name}@example.com`, language: 'de' }))
  let accounts = 1
  const deps = {
    viewers: { editable: { page: async () => known, inspect: async () => null, count: async () => accounts } },
    viewerFacts: [{ inviting: { addressesIn: () => () => viewer.attributes.mail } }],
    parts: [{ guests: async () => guests }],
    nowSeconds: () => 0,
  } as never
  const people: string[][] = []
  for await (const { username, to } of peopleOf(deps, ENTRY_POINT as never)) people.push([username, to])
  expect(people).toEqual([
    ['ada', 'Ada@example.com'],
    ['joe@example.com', 'joe@example.com'],
  ])
  expect(await countPeople(deps, ENTRY_POINT as never)).toBe(2)
  // Of active and of invited people.
  accounts = 10_000
  expect(await countPeople(deps, ENTRY_POINT as never)).toBe(20_003)
})

test.each([
  [100, 200, null],
  [250, 300, 400],
  [900, 300, 400],
])('at %i, the next start of windows in any order is %i', (now, startSeconds, endSeconds) => {
  const windows = [
    { opensAtSeconds: 300, closesAtSeconds: 400 },
    { opensAtSeconds: null, closesAtSeconds: 50 },
    { opensAtSeconds: 200, closesAtSeconds: null },
  ]
  const deps = { entryPoints: () => [ENTRY_POINT], events: [{ windowsAt: () => windows }], nowSeconds: () => now }
  expect(eventAt(deps as never, 'default')).toMatchObject({ startSeconds, endSeconds })
})
