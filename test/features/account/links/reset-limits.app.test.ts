import { expect, test } from 'vitest'
import { ACCOUNT_PATHS } from '../../../../src/features/account/links/addresses.ts'
import { ADA } from '../../../login/start-login-app.ts'
import { startAccountApp } from '../start-account-app.ts'

const FORGOT = ACCOUNT_PATHS.forgot

test('1,000 requests for one account cause three mails an hour', async () => {
  const app = await startAccountApp({ trustProxyHops: 1 })
  const statuses = new Map<number, number>()
  for (let sent = 0; sent < 1_000; sent += 1) {
    const address = `2001:db8:${(sent % 250).toString(16)}::1`
    const { status } = await app.post(FORGOT, { username: ADA.username }, { 'X-Forwarded-For': address })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  await app.mail.received(3)
  expect(Object.fromEntries(statuses)).toEqual({ 200: 3, 429: 997 })
  expect(app.mail.mails).toHaveLength(3)
})

test('an unknown name reaches the same limit as a known one', async () => {
  const app = await startAccountApp({ trustProxyHops: 1 })
  const statusesOf = async (username: string) => {
    const statuses = []
    for (let sent = 0; sent < 5; sent += 1) {
      const headers = { 'X-Forwarded-For': `198.51.100.${sent}` }
      statuses.push((await app.post(FORGOT, { username }, headers)).status)
    }
    return statuses
  }
  const limited = [200, 200, 200, 429, 429]
  expect([await statusesOf(ADA.username), await statusesOf('nobody@example.com')]).toEqual([limited, limited])
})

test('a network may ask ten times in ten minutes, whatever the names', async () => {
  const app = await startAccountApp()
  const answers = []
  for (let sent = 0; sent < 12; sent += 1) answers.push(await app.post(FORGOT, { username: `viewer-${sent}` }))
  expect(answers.map(({ status }) => status)).toEqual([...Array<number>(10).fill(200), 429, 429])
  expect(Number(answers.at(-1)?.headers['retry-after'])).toBeLessThanOrEqual(600)
})

test('all viewers together may ask as often as the settings say', async () => {
  const app = await startAccountApp({ trustProxyHops: 1 })
  const statuses = []
  for (let sent = 0; sent < 102; sent += 1) {
    const headers = { 'X-Forwarded-For': `203.0.113.${sent}` }
    statuses.push((await app.post(FORGOT, { username: `viewer-${sent}` }, headers)).status)
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(100)
  expect(statuses.at(-1)).toBe(429)
})
