import { expect, onTestFinished, test, vi } from 'vitest'
import { ACCOUNT_PATHS } from '../../../../src/features/account/links/addresses.ts'
import { createResetLimits } from '../../../../src/features/account/links/reset-limits.ts'
import { ACCOUNT_SETTINGS } from '../../../../src/features/account/links/settings.ts'
import type { LimitRefusal } from '../../../../src/sign-in-limits/limit-refusal.ts'
import { openMemoryCounter } from '../../../../src/sign-in-limits/memory-counters.ts'
import { ADA } from '../../../login/start-login-app.ts'
import { startMailServer } from '../../../services/mail/mail-server.ts'
import { type AccountApp, startAccountApp } from '../start-account-app.ts'

const FORGOT = ACCOUNT_PATHS.forgot
const SETTINGS = ACCOUNT_SETTINGS.schema.parse({})

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

test.each([
  [400, 100],
  [1_000, 250],
  [20, 10],
])('with %i mails an hour, a network may ask %i times in an hour, whatever the names', async (mailsPerHour, most) => {
  const limits = createResetLimits(openMemoryCounter, mailsPerHour)
  const refusals = []
  for (let sent = 0; sent < most + 2; sent += 1) refusals.push(await limits.admit(`viewer-${sent}`, '192.0.2.1'))
  const refused = { ok: false, limit: 'network', retryAfterSeconds: 3_600 }
  expect(refusals).toEqual([...Array<null>(most).fill(null), refused, refused])
})

test('one in ten of a hall of 1,000 behind one address gets a link, and known and unknown names cost the same', async () => {
  const resetLimits = createResetLimits(openMemoryCounter, SETTINGS.resetsPerHour)
  const app = await startAccountApp({ changed: { resetLimits } })
  for (let at = 0; at < 50; at += 1) {
    await app.store.add({ username: `v${at}@example.com`, groups: [], attributes: {} }, ADA.password)
  }
  const statuses = []
  for (let at = 0; at < 102; at += 1) {
    const username = at % 2 === 0 ? `v${at / 2}@example.com` : `nobody${at}@example.com`
    statuses.push((await app.post(FORGOT, { username })).status)
  }
  expect(statuses).toEqual([...Array<number>(100).fill(200), 429, 429])
  expect(new Set((await app.mail.received(50)).flatMap(({ to }) => to)).size).toBe(50)
})

test('104 made-up names from one IPv6 site do not stop the mails of other viewers', async () => {
  const app = await startAccountApp({ trustProxyHops: 1 })
  const statuses = []
  for (let sent = 0; sent < 104; sent += 1) {
    const headers = { 'X-Forwarded-For': `2001:db8:7:${sent.toString(16)}::1` }
    statuses.push((await app.post(FORGOT, { username: `viewer-${sent}` }, headers)).status)
  }
  const owner = await app.post(FORGOT, { username: ADA.username }, { 'X-Forwarded-For': '198.51.100.7' })
  expect(owner.status).toBe(200)
  expect(statuses).toEqual([...Array<number>(25).fill(200), ...Array<number>(79).fill(429)])
  expect((await app.mail.received(1))[0]?.to).toEqual([ADA.username])
})

test('only mails that are sent count in total: not unknown names, nor mails that the mail server refuses', async () => {
  const mail = await startMailServer({ onRcptTo: refuseOnce() })
  const resetLimits = createResetLimits(openMemoryCounter, 1)
  const app = await startAccountApp({ trustProxyHops: 1, mail, changed: { resetLimits } })
  for (const [sent, username] of ['nobody', 'no one', 'unknown', ADA.username, ADA.username].entries()) {
    await app.post(FORGOT, { username }, { 'X-Forwarded-For': `198.51.100.${sent}` })
    await expect.poll(() => ends(app)).toHaveLength(sent + 1)
  }
  expect(ends(app).at(-1)).toBe('reset-mailed')
  expect(app.mail.mails).toHaveLength(1)
})

test('a request that waits for a store that is away uses up no mails in total', async () => {
  const resetLimits = createResetLimits(openMemoryCounter, 1)
  const app = await startAccountApp({ changed: { resetLimits }, queue: { retryMs: [60_000] } })
  vi.spyOn(app.store.passwordChanges, 'createLink').mockRejectedValueOnce(new Error('away'))
  await app.post(FORGOT, { username: 'nobody' })
  await expect.poll(() => app.faults).toHaveLength(1)
  await app.post(FORGOT, { username: ADA.username })
  await app.mail.received(1)
})

test('beyond RESET_MAILS_PER_HOUR, known and unknown names still get the same answer, and the log says so', async () => {
  const resetLimits = createResetLimits(openMemoryCounter, 1)
  const app = await startAccountApp({ changed: { resetLimits } })
  const link = await linkOf(app)
  // Sooner, it would be the same form again.
  app.clock.seconds += 11
  const answers = []
  for (const username of [ADA.username, 'nobody@example.com']) answers.push(await app.post(FORGOT, { username }))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(new Set(answers.map(({ text }) => text.replace(/<bdi dir="ltr">.*<\/bdi>/, ''))).size).toBe(1)
  await expect.poll(() => ends(app)).toEqual(['reset-mailed', 'reset-not-mailed', 'reset-not-mailed'])
  expect(app.lines.at(-1)).toMatchObject({ reason: 'RESET_MAILS_PER_HOUR is reached' })
  expect(app.mail.mails).toHaveLength(1)
  // A refused mail replaces no link.
  expect((await app.get(link)).status).toBe(200)
})

test('a clock that was set back makes no wait longer than the limit', async () => {
  const limits = createResetLimits(openMemoryCounter, 40)
  const waitFor = async (address: (sent: number) => string, username: (sent: number) => string) => {
    let refusal: LimitRefusal | null = null
    for (let sent = 0; sent < 11; sent += 1) refusal = await limits.admit(username(sent), address(sent))
    return refusal
  }
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['Date'] })
  for (const shiftMs of [0, -30 * 86_400_000]) {
    vi.setSystemTime(Date.now() + shiftMs)
    const ofNetwork = await waitFor(
      () => '192.0.2.1',
      (sent) => `viewer-${sent}`,
    )
    const ofAccount = await waitFor(
      (sent) => `198.51.100.${sent}`,
      () => 'ada',
    )
    expect(ofNetwork).toEqual({ ok: false, limit: 'network', retryAfterSeconds: 3_600 })
    expect(ofAccount).toEqual({ ok: false, limit: 'account', retryAfterSeconds: 3_600 })
  }
})

/** The ends of all mails that were asked for. */
function ends({ lines }: AccountApp): unknown[] {
  return lines.map(({ outcome }) => outcome).filter((outcome) => /^reset-(not-)?mailed$/.test(String(outcome)))
}

/** Asks for a link, and returns its path. */
async function linkOf(app: AccountApp): Promise<string> {
  await app.post(FORGOT, { username: ADA.username })
  const [mail] = await app.mail.received(1)
  return /\/account\/new-password\?token=\S+/.exec(mail?.text ?? '')?.[0] ?? ''
}

/** Refuses the first recipient for good. */
function refuseOnce() {
  let isFirst = true
  return (_address: unknown, _session: unknown, done: (error?: Error) => void) => {
    const refusal = isFirst ? Object.assign(new Error('unknown'), { responseCode: 550 }) : undefined
    isFirst = false
    done(refusal)
  }
}
