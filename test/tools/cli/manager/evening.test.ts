import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../../../src/server/http-server.ts'
import { openEvening } from '../../../../src/tools/cli/manager/evening/evening.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

const NOW_MS = Date.parse('2026-11-24T20:30:00Z')
const MINUTE_MS = 60_000

function line(secondsAgo: number, fields: object): string {
  const time = new Date(NOW_MS - secondsAgo * 1000).toISOString()
  return `${JSON.stringify({ time, category: 'security', event: 'sign-in', entryPoint: 'default', ...fields })}\n`
}

const signIn = (secondsAgo: number, viewer: string, fields: object = {}) =>
  line(secondsAgo, { outcome: 'signed-in', viewer, address: '192.0.2.1', ...fields })

function openFor(lines: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder()
  const log = join(folder, 'security.log')
  writeFileSync(log, lines.join(''))
  const env = {
    USER_STORE_URL: `sqlite:${join(folder, 'viewers.db')}`,
    SESSION_STORE_URL: `sqlite:${join(folder, 'sessions.db')}`,
    SECURITY_LOG_FILE: log,
    ...more,
  }
  const clock = { ms: NOW_MS }
  const evening = openEvening(env, { nowMs: () => clock.ms, events: [] })
  onTestFinished(() => evening.close())
  async function read(only: readonly string[] | null = null) {
    clock.ms += 3_000
    return await evening.read(only)
  }
  return { log, read, env }
}

test('the evening counts sign-ins, returns, refusals and viewers who wait', async () => {
  const { read } = openFor([
    line(300, { outcome: 'waiting', viewer: 'ada' }),
    line(290, { outcome: 'waiting', viewer: 'Bob' }),
    signIn(120, 'ADA'),
    line(100, { outcome: 'wrong-credentials', viewer: 'x', address: '192.0.2.1' }),
    line(90, { outcome: 'held-back', viewer: 'zoe', limit: 'account', address: '192.0.2.1', more: 3 }),
    signIn(60, 'eve', { issuer: 'https://idp', subject: '1' }),
    line(30, { outcome: 'passkey-signed-in', viewer: 'pia' }),
    signIn(30, 'pia'),
  ])
  const figures = await read()
  expect(figures).toMatchObject({ waiting: 1, signedIn: 3, refused: 4, viewers: 3, logMissing: null })
  expect(figures.refusals).toEqual([
    ['held-back', 3],
    ['wrong-credentials', 1],
  ])
  expect(figures.ways).toEqual([
    ['password', 1],
    ['passkey', 1],
    ['sso', 1],
  ])
  expect(figures.heldBack).toMatchObject([{ viewer: 'zoe', address: '192.0.2.1' }])
  expect(figures.last[0]).toMatchObject({ viewer: 'pia', outcome: 'signed-in' })
  expect(figures.series.counts.reduce((total, count) => total + count, 0)).toBe(3)
})

test('sign-in by mail is a way of its own', async () => {
  const { read } = openFor([signIn(50, 'gus@example.com', { issuer: 'mail', subject: 'gus@example.com' })])
  expect((await read()).ways).toEqual([['mail', 1]])
})

test('sign-in by mail counts guests and viewers of the store, beside passkeys and passwords', async () => {
  const { read } = openFor([
    signIn(90, 'gus@example.com', { issuer: 'mail', subject: 'gus@example.com' }),
    line(80, { outcome: 'passkey-signed-in', viewer: 'pia' }),
    signIn(80, 'pia'),
    line(70, { outcome: 'mail-signed-in', viewer: 'ada' }),
    signIn(70, 'ada'),
    signIn(60, 'eve'),
  ])
  expect((await read()).ways.toSorted()).toEqual([
    ['mail', 2],
    ['passkey', 1],
    ['password', 1],
  ])
})

test('a manager of one entry point gets its figures only, and no networks', async () => {
  const guesses = Array.from({ length: 12 }, (_, index) =>
    line(60, { outcome: 'wrong-credentials', viewer: `v${index}`, address: '203.0.113.9' }),
  )
  const { read } = openFor([signIn(60, 'ada'), signIn(50, 'gold', { entryPoint: 'gold' }), ...guesses])
  expect((await read()).networks).toMatchObject([{ network: '203.0.113.9', failures: 12, viewers: 12 }])
  const figures = await read(['gold'])
  expect(figures).toMatchObject({ signedIn: 1, refused: 0, viewers: 1, networks: [], sessions: null })
  expect(figures.byEntryPoint).toEqual([['gold', 1, 0]])
  expect(figures.last.map(({ viewer }) => viewer)).toEqual(['gold'])
})

test('networks are forgotten after ten minutes', async () => {
  const guesses = Array.from({ length: 12 }, () =>
    line(11 * 60, { outcome: 'wrong-credentials', viewer: 'v', address: '203.0.113.9' }),
  )
  expect((await openFor(guesses).read()).networks).toEqual([])
})

test('the log is followed, over a renaming and a line that is half written', async () => {
  const { log, read } = openFor([signIn(60, 'ada')])
  expect((await read()).signedIn).toBe(1)
  const whole = signIn(50, 'Bölk')
  const half = Buffer.from(whole).subarray(0, Buffer.from(whole).indexOf('lk') - 1)
  appendFileSync(log, half)
  expect((await read()).signedIn).toBe(1)
  appendFileSync(log, Buffer.from(whole).subarray(half.length))
  renameSync(log, `${log}.1`)
  writeFileSync(log, signIn(40, 'eve'))
  const figures = await read()
  expect(figures.signedIn).toBe(3)
  expect(figures.last.map(({ viewer }) => viewer)).toContain('Bölk')
  writeFileSync(log, signIn(9, 'z'))
  expect((await read()).signedIn).toBe(4)
})

test('the last event is the last day before with sign-ins, at the same time of day', async () => {
  const week = 7 * 86_400
  const { read } = openFor([signIn(week + 600, 'ada'), signIn(week + 600, 'bob'), signIn(600, 'ada')])
  const { series } = await read()
  const at = Math.floor((NOW_MS - 600_000 - series.fromMs) / series.stepMs)
  expect(series.counts[at]).toBe(1)
  expect(series.before?.counts[at]).toBe(2)
  expect(NOW_MS - 600_000 - week * 1000 - (series.before?.fromMs ?? 0)).toBeLessThan((at + 1) * series.stepMs)
  expect(series.stepMs).toBeGreaterThanOrEqual(MINUTE_MS)
})

test('copies say by their metrics if they are up, what waits, and which clock is wrong', async () => {
  const metrics = [
    'viewer_auth_build_info{version="0.2.0",node_version="24"} 1',
    'viewer_auth_store_up{store="users"} 1',
    'viewer_auth_store_up{store="limits"} 0',
    'viewer_auth_password_checks{state="running"} 2',
    'viewer_auth_password_checks{state="waiting"} 7',
    'viewer_auth_log_lines_dropped_total{log="main"} 3',
    'viewer_auth_log_lines_dropped_total{log="security"} 4',
    'viewer_auth_sign_ins_total{outcome="signed-in",entry_point="default"} 5',
    'viewer_auth_sign_ins_total{outcome="signed-in",entry_point="gold"} 6',
  ]
  const server = createServer((_req, res) => {
    res.setHeader('Date', new Date(Date.now() + 63_000).toUTCString())
    res.end(metrics.join('\n'))
  })
  const port = await listen(server, 0, '127.0.0.1')
  onTestFinished(() => void server.close())
  const { read } = openFor([], { MANAGER_METRICS_URLS: `http://127.0.0.1:${port}/metrics, http://127.0.0.1:1/metrics` })
  const { copies } = await read()
  expect(copies).toMatchObject([
    { isUp: true, version: '0.2.0', running: 2, waiting: 7, away: ['limits'], lostLines: 7 },
    { isUp: false },
  ])
  expect(copies[0]?.signIns.get('signed-in')).toBe(11)
  expect(copies[0]?.clockSeconds).toBeGreaterThan(55)
})

test('watch shows the figures once without a terminal, and as JSON', async () => {
  const now = new Date().toISOString()
  const { env, log } = openFor([])
  appendFileSync(
    log,
    `${JSON.stringify({ time: now, category: 'security', event: 'sign-in', entryPoint: 'default', outcome: 'signed-in', viewer: 'ada\u001b[2J', address: '192.0.2.1' })}\n`,
  )
  const text = await runHere(['watch'], { env, cwd: temporaryFolder() })
  expect(text.stdout).toMatch(/Signed in +1 in 12 hours/)
  expect(text.stdout).not.toContain('\u001b')
  const json = await runHere(['watch', '--json'], { env, cwd: temporaryFolder() })
  expect(JSON.parse(json.stdout)).toMatchObject({ signedIn: 1, waiting: 0, copies: [] })
})
