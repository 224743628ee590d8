import { expect, test } from 'vitest'
import { noPasswordHash } from '../../../src/users/passwords/argon2.ts'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { programSettings } from '../../login/login-program.ts'
import { deviation, shuffled } from '../../login/rank-times.ts'
import { formOf } from '../../login/start-login-app.ts'
import { startLoginProgram } from '../../login/start-program.ts'
import { startMailServer } from '../../services/mail/mail-server.ts'
import { importInto } from '../../users/import-batch/import-contract.ts'

const SAMPLES = 500
/** Exceeded by one of 10,000 runs without a difference. */
const MOST_DEVIATION = 3.9

interface Sample {
  readonly kind: string
  readonly path: string
  readonly form: Readonly<Record<string, string>>
}

test('the time of an answer does not tell known, unknown and disabled viewers apart', {
  timeout: 600_000,
}, async () => {
  const mail = await startMailServer()
  const defaults = programSettings()
  const settings = {
    ...defaults,
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    MAIL_FROM: 'login@example.com',
    RESET_MAILS_PER_HOUR: '100000',
    TRUST_PROXY_HOPS: '1',
  }
  const store = openEditableSqliteStore((defaults.USER_STORE_URL ?? '').replace('sqlite:', ''))
  const viewers = ['known', 'disabled'].flatMap((kind) =>
    Array.from({ length: SAMPLES }, (_, index) => ({
      username: `${kind}-${index}@example.com`,
      passwordHash: noPasswordHash(),
      groups: [],
      disabled: kind === 'disabled',
      attributes: {},
    })),
  )
  await importInto(store, viewers, 'keep')
  await store.close()
  const { port } = await startLoginProgram(settings)

  const change = {
    password: 'PASSWORDMARKER',
    newPassword: 'another heron ladder',
    repeatPassword: 'another heron ladder',
  }
  const samples = ['known', 'unknown', 'disabled'].flatMap((kind) =>
    Array.from({ length: SAMPLES }, (_, index): Sample[] => {
      const username = `${kind}-${index}@example.com`
      return [
        { kind: `${kind} forgot`, path: '/account/forgot', form: { username } },
        { kind: `${kind} change`, path: '/account/change-password', form: { username, ...change } },
      ]
    }).flat(),
  )
  const times = new Map<string, number[]>()
  const statuses = new Set<string>()
  for (const [index, { kind, path, form }] of shuffled(samples).entries()) {
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Forwarded-For': `10.${index >> 8}.${index & 255}.1`,
    }
    const fromMs = performance.now()
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: formOf(form) })
    await answer.text()
    times.set(kind, [...(times.get(kind) ?? []), performance.now() - fromMs])
    statuses.add(`${path} ${answer.status}`)
  }
  expect([...statuses].toSorted()).toEqual(['/account/change-password 401', '/account/forgot 200'])
  for (const page of ['forgot', 'change']) {
    for (const kind of ['known', 'disabled']) {
      const apart = deviation(times.get(`${kind} ${page}`) ?? [], times.get(`unknown ${page}`) ?? [])
      expect([page, kind, apart < MOST_DEVIATION, apart]).toEqual([page, kind, true, apart])
    }
  }
  await expect.poll(() => mail.mails.length, { timeout: 30_000 }).toBe(SAMPLES)
})

test('the comparison finds a difference of a tenth of a standard deviation or more', () => {
  const sample = (shift: number) => Array.from({ length: 20_000 }, () => Math.random() + Math.random() + shift)
  expect(deviation(sample(0), sample(0.04))).toBeGreaterThan(MOST_DEVIATION)
  expect(deviation(sample(0), sample(0))).toBeLessThan(MOST_DEVIATION)
})
