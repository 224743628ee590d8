import { expect, test } from 'vitest'
import { NO_HOLDER } from '../../../../../src/features/access-codes/codes/new-codes.ts'
import { codePeople } from '../../../../../src/tools/features/access-codes/attendance/code-people.ts'
import { openCodes } from '../../../../features/access-codes/codes-app.ts'
import { START_SECONDS } from '../../../../login/start-login-app.ts'
import { SETTINGS } from '../../../../settings.ts'

test('the people with access codes are counted by label: personal codes, and sign-ins with shared ones', async () => {
  const { codes, create, file } = openCodes()
  await create({ groups: ['gold'] }, [{ ...NO_HOLDER, name: 'Ada' }, NO_HOLDER])
  await create({ label: 'ALL', isShared: true })
  const shared = await codes.ofSubject('default/ALL/000001')
  if (shared === null) return expect.unreachable()
  for (const name of [null, 'Grace']) await codes.use(shared, name, START_SECONDS)
  const env = { ...SETTINGS, USER_STORE_URL: 'sqlite:none.db', GUESTS_STORE_URL: `sqlite:${file}` }
  const io = { env } as unknown as Parameters<typeof codePeople>[0]
  const people = await codePeople(io, { identifier: undefined, by: 'label', groups: [] })
  expect(people.map(({ username, values }) => [username, ...values])).toEqual([
    ['ALL-0001', 'ALL'],
    ['Grace', 'ALL'],
    ['Ada', 'GALA'],
    ['GALA-0002', 'GALA'],
  ])
  const gold = await codePeople(io, { identifier: undefined, by: undefined, groups: ['gold'] })
  expect(gold.filter(({ isInvited }) => isInvited)).toHaveLength(2)
})

test.each([
  ['the first event', 0, 1_000, ['FIRST', 'NOEND']],
  ['between the events', 1_000, 5_000, ['NOEND']],
  ['the second event', 5_000, 6_000, ['NOEND', 'SECOND']],
])('a report of %s has only the people whose codes were valid', async (_case, fromSeconds, toSeconds, labels) => {
  const { create, codes, file } = openCodes()
  await create({ label: 'FIRST', endsAtSeconds: START_SECONDS + 1_000 })
  await create({ label: 'REVOKED' })
  await codes.revokeBatch({ entryPoint: 'default', label: 'REVOKED' }, START_SECONDS - 1)
  await create({ label: 'NOEND' })
  await create({ label: 'SECOND', createdAtSeconds: START_SECONDS + 5_000 })
  const env = { ...SETTINGS, USER_STORE_URL: 'sqlite:none.db', GUESTS_STORE_URL: `sqlite:${file}` }
  const range = { fromMs: (START_SECONDS + fromSeconds) * 1000, toMs: (START_SECONDS + toSeconds) * 1000 }
  const io = { env } as unknown as Parameters<typeof codePeople>[0]
  const people = await codePeople(io, { identifier: undefined, by: 'label', groups: [], range })
  expect(people.flatMap(({ values }) => values).toSorted()).toEqual(labels)
})
