import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createFailureLimits,
  type FailureLimits,
} from '../../../../../src/tools/emulator/oauth/own-accounts/failure-limits.ts'
import { createPasswords, faultInNewPassword } from '../../../../../src/tools/emulator/oauth/own-accounts/password.ts'
import { authenticateUser } from '../../../../../src/tools/emulator/oauth/own-accounts/user-authentication.ts'
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

describe('Passwords', () => {
  test('a password hash is argon2id with 19 MiB, two passes, one lane and a new salt', async () => {
    const passwords = createPasswords()
    const [first, second] = [await passwords.hash('a password'), await passwords.hash('a password')]
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(first).not.toBe(second)
    expect(await passwords.verify(first, 'a password')).toBe(true)
    expect(await passwords.verify(first, 'a passworD')).toBe(false)
  })

  test('a lone surrogate does not match a password with U+FFFD', async () => {
    const passwords = createPasswords()
    expect(await passwords.verify(await passwords.hash('\ufffd'), '\ud800')).toBe(false)
  })
})

describe('A user of the service', () => {
  const database = openRoomDatabase()

  test('a user signs in with the name in any case and the exact password', async () => {
    const deps = { database, passwords: createPasswords(), limits: limitsOf() }
    expect(await authenticateUser(deps, 'STUDIO', STUDIO.password, ADDRESS)).toEqual({ ok: true, userId: STUDIO.id })
    expect((await authenticateUser(deps, 'studio', `${STUDIO.password} `, ADDRESS)).ok).toBe(false)
  })

  test('the password of an unknown user is verified too, against the decoy hash', async () => {
    const verified: (string | null)[] = []
    const passwords = {
      verify(passwordHash: string | null) {
        verified.push(passwordHash)
        return Promise.resolve(false)
      },
    }
    const outcome = await authenticateUser({ database, passwords, limits: limitsOf() }, 'nobody', 'x', ADDRESS)
    expect(outcome).toEqual({ ok: false, reason: 'wrong-credentials' })
    expect(verified).toEqual([null])
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
    ['short12', 'too-short'],
    ['x'.repeat(129), 'too-long'],
    ['password1', 'too-common'],
    ['PassWord1', 'too-common'],
    ['zzzzzzzzzzzz', 'too-common'],
    ['ada.lovelace', 'like-the-name'],
    ['ada.lovelace1', 'like-the-name'],
    ['two\nlines of it', 'unreadable'],
    ['half \ud800 of it', 'unreadable'],
  ])('the new password %j is refused as %s', async (password, fault) => {
    expect(await faultInNewPassword(password, 'ada.lovelace')).toBe(fault)
  })

  test.each([
    'correct horse battery',
    'тихий зелёный чайник',
    ' spaces stay ',
    'x'.repeat(64).replace(/x/g, (_x, at) => String(at % 7)),
    '🐘🐘🐘🐘🐘🐘🐘🦒',
  ])('the new password %j is accepted', async (password) => {
    expect(await faultInNewPassword(password, 'ada')).toBeNull()
  })
})
