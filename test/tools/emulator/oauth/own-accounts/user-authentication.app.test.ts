import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createFailureLimits,
  type FailureLimits,
} from '../../../../../src/tools/emulator/oauth/own-accounts/failure-limits.ts'
import {
  authenticateUser,
  faultInNewPassword,
} from '../../../../../src/tools/emulator/oauth/own-accounts/user-authentication.ts'
import { openRoomDatabase, STUDIO } from '../room-database.ts'

const ADDRESS = '127.0.0.1'

function limitsOf(generation = () => 'one'): FailureLimits {
  return createFailureLimits(generation)
}

async function admitted(limits: FailureLimits, times: number, name = 'ada', address = ADDRESS): Promise<boolean[]> {
  const outcomes: boolean[] = []
  for (let at = 0; at < times; at += 1) outcomes.push((await limits.admit('sign-in', name, address)).ok)
  return outcomes
}

describe('A user of the service', () => {
  const database = openRoomDatabase()

  test('a user signs in with the name in any case and the exact password', async () => {
    const deps = { database, limits: limitsOf() }
    expect(await authenticateUser(deps, 'STUDIO', STUDIO.password, ADDRESS)).toEqual({ ok: true, userId: STUDIO.id })
    expect((await authenticateUser(deps, 'studio', `${STUDIO.password} `, ADDRESS)).ok).toBe(false)
  })
})

describe('Failed sign-ins', () => {
  test('the eleventh failure of a name is refused, in any spelling', async () => {
    const limits = limitsOf()
    expect(await admitted(limits, 10)).toEqual(Array.from({ length: 10 }, () => true))
    expect(await admitted(limits, 1, ' ADA ')).toEqual([false])
    expect(await admitted(limits, 1, 'grace')).toEqual([true])
  })

  test('the 201st failure from one address is refused, for any name', async () => {
    const limits = limitsOf()
    for (let at = 0; at < 200; at += 1) expect((await limits.admit('sign-in', `user ${at}`, ADDRESS)).ok).toBe(true)
    expect((await limits.admit('sign-in', 'another', ADDRESS)).ok).toBe(false)
    expect((await limits.admit('sign-in', 'another', '127.0.0.2')).ok).toBe(true)
  })

  test('a clock that was set back makes no wait longer than five minutes', async () => {
    onTestFinished(() => void vi.useRealTimers())
    vi.useFakeTimers({ toFake: ['Date'] })
    const limits = limitsOf()
    await admitted(limits, 10)
    vi.setSystemTime(Date.now() - 86_400_000)
    expect(await limits.admit('sign-in', 'ada', ADDRESS)).toEqual({ ok: false, retryAfterSeconds: 300 })
  })

  test('a reset of the emulator clears the counts of failures', async () => {
    let generation = 'before'
    const limits = limitsOf(() => generation)
    await admitted(limits, 11)
    generation = 'after'
    expect(await admitted(limits, 1)).toEqual([true])
  })
})

describe('A new password', () => {
  test.each([
    ['short12', 'tooShort'],
    ['x'.repeat(129), 'tooLong'],
    ['password1', 'common'],
    ['PassWord1', 'common'],
    ['zzzzzzzzzzzz', 'common'],
    ['ada.lovelace', 'likeUsername'],
    ['ada.lovelace1', 'likeUsername'],
    ['two\nlines of it', 'unusable'],
    ['half \ud800 of it', 'unusable'],
  ])('the new password %j is refused as %s', async (password, fault) => {
    expect(await faultInNewPassword(password, 'ada.lovelace')).toBe(fault)
  })

  test.each([
    'correct horse battery',
    'тихий зелёный чайник',
    ' spaces stay ',
    'x'.repeat(64).replace(/x/g, (_x, at) => String(at % 7)),
    '🐘🦒🦓🐅🦁🐊🦏🐆',
  ])('the new password %j is accepted', async (password) => {
    expect(await faultInNewPassword(password, 'ada')).toBeNull()
  })
})
