import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { runCommandLine } from '../../../../src/tools/cli/program.ts'
import { features } from '../../../../src/tools/features.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'
import { drill, ONE_VISIT_EACH, type PlainAnswer, type PlainRequest, responseFor, startPlainApp } from './plain-app.ts'

const OTHER_SECRET = 'c04d8e1f5b7a926330e9d17f48c2ab65'
const count = (requests: readonly PlainRequest[], kind: PlainRequest['kind']) =>
  requests.filter((request) => request.kind === kind).length

describe('a drill of an app without faults', () => {
  test('all viewers open the screen, some mistype, all get in, and some come back with their cookie', async () => {
    const app = await startPlainApp()
    const page = join(temporaryFolder(), 'drill.html')
    const ended = await drill(app, ['--wrong', '20%', '--returns', '30', '--html', page], { count: 40 })
    expect([ended.status, ended.failed]).toEqual([0, []])
    expect(ended.data.checks).toHaveLength(9)
    const { requests } = app
    expect([count(requests, 'right'), count(requests, 'wrong')]).toEqual([40, 10])
    // The drill opens the screen once before it starts.
    expect(count(requests, 'screen')).toBe(41)
    expect(count(requests, 'return')).toBeGreaterThanOrEqual(10)
    expect(ended.data.timeline.reduce((sum, { passed }) => sum + passed, 0)).toBe(40 + count(requests, 'return'))
    expect(readFileSync(page, 'utf8')).toContain('<h1>Drill passed</h1>')
    for (const written of [ended.stdout, ended.stderr, readFileSync(page, 'utf8')]) {
      expect(written).not.toMatch(/PASSWORDMARKER|hash=|%22hash|viewer-1@/)
    }
  })

  test('each viewer has one connection, posts from the own page and sends no cookie before coming back', async () => {
    const app = await startPlainApp()
    await drill(app, ['--returns', '50'], { count: 20 })
    expect(app.connections()).toBe(21)
    for (const { kind, headers } of app.requests) {
      expect(headers['sec-fetch-dest']).toBe('iframe')
      expect(headers.cookie !== undefined).toBe(kind === 'return')
      const isPost = kind === 'right' || kind === 'wrong'
      expect(headers.origin).toBe(isPost ? new URL(app.url).origin : undefined)
    }
  })

  test('a viewer opens a new connection after Connection: close', async () => {
    const app = await startPlainApp(({ status, headers }) => ({ status, headers: { ...headers, connection: 'close' } }))
    const { failed } = await drill(app, ONE_VISIT_EACH, { count: 10 })
    expect(failed).toEqual([])
    expect(app.connections()).toBe(21)
  })

  test('a viewer whose session has ended signs in again', async () => {
    const app = await startPlainApp((answer, { kind }) => (kind === 'return' ? { status: 200, headers: {} } : answer))
    const { failed } = await drill(app, ['--wrong', '0', '--returns', '100'], { count: 10 })
    expect(failed).toEqual([])
    expect([count(app.requests, 'return'), count(app.requests, 'right')]).toEqual([10, 20])
  })

  test('at a terminal, the verdict is in color and has no escaped control characters', async () => {
    const app = await startPlainApp()
    const stdout = Object.assign(new PassThrough(), { isTTY: true })
    const stderr = new PassThrough()
    const texts = Promise.all([stdout.toArray(), stderr.toArray()])
    const stdin = Readable.from([`username,password\nada,${app.password}\n`].map((text) => Buffer.from(text)))
    const io = { env: {}, stdin, stdout, stderr, onInterrupt: () => () => {} }
    expect(await runCommandLine(['drill', '--url', app.url, '--viewers', '-', '--over', '0.5s'], io, features)).toBe(0)
    stdout.end()
    stderr.end()
    const [written] = await texts
    const lines = stripVTControlCharacters(Buffer.concat(written).toString()).trimEnd().split('\n')
    expect(lines).toHaveLength(11)
    for (const line of lines.slice(0, -2)) expect(line).toMatch(/^(passed|not tried) {2}\S/)
    expect(lines.at(-2)).toBe('Sign-ins a second: 1 at most, 1 on average.')
  })
})

test('the drill warns beforehand that the limit of one address may stop many wrong passwords', async () => {
  const app = await startPlainApp()
  const rows = Array.from({ length: 300 }, (_, at) => `viewer-${at},${app.password}`)
  const options = { cwd: temporaryFolder(), stdin: `username,password\n${rows.join('\n')}\n`, interrupted: sleep(200) }
  const args = ['drill', '--url', app.url, '--viewers', '-']
  expect((await runHere([...args, '--wrong', '60'], options)).stderr).not.toContain('--wrong')
  expect((await runHere([...args, '--wrong', '90'], { ...options, interrupted: sleep(200) })).stderr).toContain(
    '--wrong',
  )
})

describe('a drill of an app with a fault', () => {
  const expired = (username: string) => {
    const { headers } = responseFor(username)
    return { status: 303, headers: { location: headers.location?.replace(/(hashExpire%22%3A)\d+/, '$11000') ?? '' } }
  }
  test.each<[string, string, (answer: PlainAnswer, request: PlainRequest) => PlainAnswer, failed: string[]]>([
    [
      'accepts any password',
      'a wrong password',
      (answer, { kind, username }) => (kind === 'wrong' ? responseFor(username) : answer),
      ['wrong-passwords'],
    ],
    [
      'answers 500 to every third viewer',
      '500',
      (answer, { kind, username }) =>
        kind === 'right' && /3@/.test(username) ? { status: 500, headers: { 'retry-after': '0' } } : answer,
      ['sign-ins', 'errors'],
    ],
    [
      'refuses a right password',
      '401 for the right password',
      (answer, { username }) => (username === 'viewer-7@example.com' ? { status: 401, headers: {} } : answer),
      ['sign-ins', 'errors'],
    ],
    [
      'signs with another secret',
      'secret',
      (answer, { kind, username }) => (kind === 'right' ? responseFor(username, OTHER_SECRET) : answer),
      ['sign-ins', 'responses'],
    ],
    [
      'gives a viewer the response of another',
      'another viewer',
      (answer, { kind }) => (kind === 'right' ? responseFor('eve@example.com') : answer),
      ['sign-ins', 'responses'],
    ],
    [
      'sends expired responses',
      'expired',
      (answer, { kind, username }) => (kind === 'right' ? expired(username) : answer),
      ['sign-ins', 'responses'],
    ],
    [
      'redirects without a response',
      '303',
      (answer, { kind }) =>
        kind === 'right'
          ? { status: 303, headers: { location: 'https://player.example/?hash=false', 'retry-after': '0' } }
          : answer,
      ['sign-ins', 'errors'],
    ],
  ])('the drill fails if the app %s', async (_case, reason, alter, failed) => {
    const ended = await drill(await startPlainApp(alter), ['--returns', '0'])
    expect([ended.status, ended.failed]).toEqual([1, failed])
    const texts = ended.data.checks.filter(({ isMet }) => !isMet).map(({ text }) => text)
    expect(texts.join('\n')).toContain(reason)
  })

  test('a viewer does not flood an app that answers Retry-After: 0', async () => {
    const calmAtMs = performance.now() + 1_000
    const app = await startPlainApp((answer, { kind }) =>
      kind === 'right' && performance.now() < calmAtMs ? { status: 503, headers: { 'retry-after': '0' } } : answer,
    )
    expect((await drill(app, ONE_VISIT_EACH, { count: 1 })).failed).toEqual([])
    expect(count(app.requests, 'right')).toBeLessThanOrEqual(4)
  })

  test('the drill fails if the screen gives a response without a password', async () => {
    let opened = 0
    const app = await startPlainApp((answer, { kind }) => {
      if (kind === 'screen') opened += 1
      return kind === 'screen' && opened > 5 ? responseFor('eve@example.com') : answer
    })
    expect((await drill(app, ONE_VISIT_EACH)).failed).toEqual(['sign-ins', 'wrong-passwords'])
  })
})
