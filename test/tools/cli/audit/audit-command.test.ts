import { createHash } from 'node:crypto'
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Request } from 'express'
import { expect, test } from 'vitest'
import { createSignInLog, SIGN_IN_OUTCOMES } from '../../../../src/login/log/sign-in-log.ts'
import { openLog, securityLogOf } from '../../../../src/server/log/log.ts'
import { createRepeatFilter } from '../../../../src/server/log/repeat-filter.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'

/** A line as the app writes it. */
const line = (day: number, fields: object) =>
  `${JSON.stringify({ level: 30, time: `2026-11-${String(day).padStart(2, '0')}T18:00:00.000Z`, category: 'security', event: 'sign-in', outcome: 'signed-in', viewer: 'ada', address: '192.0.2.1', entryPoint: 'default', requestId: 'r', ...fields })}\n`

interface Row {
  readonly viewer: string | null
  readonly outcome: string
}
const audit = (cwd: string, args: readonly string[], more: Omit<Parameters<typeof runHere>[1], 'cwd'> = {}) =>
  runHere(['audit', 'export', ...args], { cwd, ...more })
const rowsOf = (stdout: string) => JSON.parse(stdout) as Row[]

function logIn(cwd: string, name: string, text: string | Buffer, daysAgo = 0): string {
  const file = join(cwd, name)
  writeFileSync(file, text)
  const time = Date.now() / 1000 - daysAgo * 86_400
  utimesSync(file, time, time)
  return file
}

test('audit export reads what the sign-in log of the app writes, sums of repeated lines too', async () => {
  const cwd = temporaryFolder()
  const lines: string[] = []
  const repeatFilter = createRepeatFilter()
  const log = createSignInLog({
    securityLog: securityLogOf(openLog('info', { write: (written) => void lines.push(written) })),
    repeatFilter,
    entryPoint: 'staff',
    addressOf: () => '192.0.2.7',
    outcomes: SIGN_IN_OUTCOMES,
  })
  const request = { headers: {} } as Request
  log(request, { outcome: 'signed-in', viewer: 'Ada' })
  for (let count = 0; count < 3; count += 1) {
    log(request, { outcome: 'held-back', viewer: 'ada', status: 429, limit: 'account' })
  }
  repeatFilter.end()
  const text = lines.join('')
  const { stdout, stderr, status } = await audit(cwd, ['--json', '-'], { stdin: text })
  expect(status).toBe(0)
  const shared = { event: 'sign-in', entryPoint: 'staff', address: '192.0.2.7' }
  expect(rowsOf(stdout)).toEqual([
    expect.objectContaining({ ...shared, outcome: 'signed-in', viewer: 'Ada', reason: null, status: null, count: 1 }),
    expect.objectContaining({ ...shared, outcome: 'held-back', viewer: 'ada', reason: 'account', status: 429 }),
    expect.objectContaining({ ...shared, outcome: 'held-back', viewer: null, reason: 'account', count: 2 }),
  ])
  expect(stderr).not.toContain('Skipped')
  const ofAda = await audit(cwd, ['--json', '-', '--viewer', 'ADA'], { stdin: text })
  expect(rowsOf(ofAda.stdout).map(({ outcome }) => outcome)).toEqual(['signed-in', 'held-back'])
  expect(ofAda.stderr).toContain('2 repeated requests')
})

test('audit export reads SECURITY_LOG_FILE after its rotated files, compressed or not', async () => {
  const cwd = temporaryFolder()
  const file = logIn(cwd, 'security.log', line(3, { viewer: 'third' }))
  logIn(cwd, 'security.log.1', line(2, { viewer: 'second' }), 1)
  logIn(cwd, 'security.log.2.gz', gzipSync(line(1, { viewer: 'first' })), 2)
  logIn(cwd, 'security.log.bak', line(1, { viewer: 'copy' }))
  logIn(cwd, 'security.logs', line(1, { viewer: 'other' }))
  const { stdout, stderr } = await audit(cwd, ['--json'], { env: { SECURITY_LOG_FILE: file } })
  expect(rowsOf(stdout).map(({ viewer }) => viewer)).toEqual(['first', 'second', 'third'])
  expect(stderr).toContain('3 files')
})

test('audit export counts lines that are not of the security log, and the lines that the app lost', async () => {
  const lost = { level: 40, time: '2026-11-02T00:00:00.000Z', event: 'log-lines-dropped', count: 17 }
  const text = [
    '{"level":30,"time":"2026-11-01T00:00:00.000Z","event":"started"}\n',
    'npm notice\n\n',
    '{"category":"security", cut short\n',
    '{"category":"security","time":"yesterday","event":"sign-in"}\n',
    `login-1  | ${line(1, {})}`,
    `${JSON.stringify(lost)}\n`,
    line(2, { outcome: undefined, event: 'session-ended', reason: 'too old' }),
    `${'x'.repeat(3_000_000)}\n`,
    line(3, {}).trimEnd(),
  ].join('')
  const { stdout, stderr } = await audit(temporaryFolder(), ['-', '--json'], { stdin: text })
  expect(rowsOf(stdout).map(({ outcome }) => outcome)).toEqual(['signed-in', 'session-ended', 'signed-in'])
  expect(stderr).toContain('Skipped 5 lines')
  expect(stderr).toContain('17 lines')
})

test('audit export filters by time, viewer and outcome', async () => {
  const days = [1, 2, 3, 4].map((day) => line(day, { viewer: day % 2 ? 'ada' : 'eve', requestId: String(day) }))
  const refused = line(4, { outcome: 'wrong-credentials', requestId: '5' })
  const ids = async (...args: string[]) => {
    const { stdout } = await audit(temporaryFolder(), ['-', '--json', ...args], { stdin: days.join('') + refused })
    return (JSON.parse(stdout) as { requestId: string }[]).map(({ requestId }) => requestId).join('')
  }
  expect(await ids()).toBe('12345')
  expect(await ids('--from', '2026-11-02T18:00:00Z', '--to', '2026-11-03T18:00:00Z')).toBe('23')
  const local = await audit(temporaryFolder(), ['-', '--from', '2026-11-02 18:00'], { stdin: refused })
  expect(local.stderr).toMatch(/^Times without an offset are in \S+\. Set TZ to change it\.$/m)
  const others = await audit(temporaryFolder(), ['-', '--from', '2026-11-02', '--to', '2026-11-03T18:00Z'], {
    stdin: refused,
  })
  expect(others.stderr).not.toContain('Times without')
  expect(await ids('--to', '2026-11-02T00:00:00Z')).toBe('1')
  expect(await ids('--viewer', 'EVE')).toBe('24')
  expect(await ids('--outcome', 'wrong-credentials')).toBe('5')
  expect(await ids('--viewer', 'ada', '--outcome', 'signed-in', '--outcome', 'wrong-credentials')).toBe('135')
})

test('audit export has the code of the access policy', async () => {
  const stdin = line(1, { outcome: 'not-entitled', code: 'no-ticket', reason: 'groups: [] of 0' })
  const cwd = temporaryFolder()
  const json = await audit(cwd, ['-', '--json'], { stdin })
  expect(rowsOf(json.stdout)).toMatchObject([{ code: 'no-ticket', reason: 'groups: [] of 0' }])
  expect((await audit(cwd, ['-', '--csv'], { stdin })).stdout).toMatch(/,code,device\r?\n.*,no-ticket,\r?\n$/)
  expect((await audit(cwd, ['-'], { stdin })).stdout).toMatch(/not-entitled .* no-ticket /)
})

test('audit export names the outcomes of the log if the log has no line with the wanted one', async () => {
  const { stdout, stderr, status } = await audit(temporaryFolder(), ['-', '--outcome', 'wrong-password'], {
    stdin: line(1, {}) + line(1, { outcome: 'wrong-credentials' }),
  })
  expect([status, stdout]).toEqual([0, ''])
  expect(stderr).toContain('signed-in, wrong-credentials')
})

test('audit export writes CSV in which no cell is a formula, to a file that only this user may read', async () => {
  const cwd = temporaryFolder()
  const out = join(cwd, 'out.csv')
  const text = line(1, {
    viewer: '=HYPERLINK("http://evil.example")',
    reason: 'bell \u0007',
    issuer: 'https://idp.example',
    subject: '=1',
  })
  const { status, stdout } = await audit(cwd, ['-', '--csv', '--output', out], { stdin: text })
  expect([status, stdout]).toEqual([0, ''])
  const [header, record] = readFileSync(out, 'utf8').split('\r\n')
  expect(header).toBe(
    'time,event,outcome,viewer,address,entryPoint,reason,status,count,requestId,issuer,subject,code,device',
  )
  expect(record).toContain(`"'=HYPERLINK(""http://evil.example"")"`)
  expect(record).toMatch(/,https:\/\/idp\.example,"?'=1"?,,$/)
  expect(record).toContain('bell \\u0007')
  expect(statSync(out).mode & 0o777).toBe(0o600)
})

test('the table of audit export shows the newest events', async () => {
  const many = Array.from({ length: 1_100 }, (_, index) => line(1, { viewer: `viewer-${index}` })).join('')
  const { stdout, stderr } = await audit(temporaryFolder(), ['-'], { stdin: many })
  expect(stdout.trimEnd().split('\n')).toHaveLength(1_001)
  expect(stdout).toContain('viewer-1099')
  expect(stdout).not.toContain('viewer-99 ')
  expect(stderr).toContain('1,100')
})

test('audit export says what is wrong with a file, and with a missing setting', async () => {
  const cwd = temporaryFolder()
  const cut = logIn(cwd, 'cut.gz', gzipSync(createHash('sha512').digest('hex').repeat(9)).subarray(0, 40))
  const plain = logIn(cwd, 'plain.gz', line(1, {}))
  for (const file of [cut, plain, join(cwd, 'missing'), cwd]) {
    const { status, stderr } = await audit(cwd, [file, '--json'])
    expect([status, JSON.parse(stderr)]).toEqual([1, { error: expect.stringContaining(file) }])
  }
  const unset = await audit(cwd, [])
  expect([unset.status, unset.stderr]).toEqual([1, expect.stringContaining('SECURITY_LOG_FILE')])
  const device = await audit(cwd, [], { env: { SECURITY_LOG_FILE: '/dev/null' } })
  expect([device.status, device.stderr]).toEqual([1, expect.stringContaining('/dev/null')])
  expect(await audit(cwd, ['-', '--csv', '--json'])).toMatchObject({ status: 2 })
  expect(await audit(cwd, ['-', '--from', 'yesterday'])).toMatchObject({ status: 2 })
})

test('Ctrl-C stops audit export while standard input is silent', async () => {
  const stdin = new PassThrough()
  stdin.write(line(20, {}))
  const ended = await audit(temporaryFolder(), ['--json', '-'], { stdin, interrupted: sleep(50) })
  expect(ended).toEqual({ status: 1, stdout: '', stderr: expect.stringContaining('Stopped.') })
})
