import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { startApp } from '../../faults/app-program.ts'
import { lockedFolder, programSettings } from '../../login/login-program.ts'
import { runLoginProgram, startLoginProgram } from '../../login/start-program.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

/** Makes a named pipe. Returns its path and a descriptor that holds it open. */
function makePipe() {
  const path = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [path])
  const holder = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  return { path, holder, writer: openSync(path, 'a') }
}

function fill(descriptor: number): void {
  for (const size of [65_536, 1]) {
    expect(() => {
      for (;;) writeSync(descriptor, ' '.repeat(size))
    }).toThrow('EAGAIN')
  }
}

/** Starts the program with this descriptor as standard output. */
async function startWithOutput(
  stdout: number,
  settings: Readonly<Record<string, string>> = {},
  wrapper: readonly string[] = [],
) {
  const program = await startApp({ settings: { ...programSettings(), ...settings }, stdout, wrapper })
  closeSync(stdout)
  async function signIn(username: string): Promise<number> {
    const body = new URLSearchParams({ username, password: 'wrong' })
    return (await fetch(`http://127.0.0.1:${program.port}/sign-in`, { method: 'POST', body })).status
  }
  return { ...program, signIn }
}

describe('faults of standard output', () => {
  test('sign-ins go on, and SIGTERM stops the program, while standard output is a full disk', async () => {
    const program = await startWithOutput(openSync('/dev/full', 'a'))
    expect(await Promise.all(['a', 'b', 'c'].map(program.signIn))).toEqual([401, 401, 401])
    expect(await program.stop()).toBe(0)
  })

  test('sign-ins go on when the disk of the log fills, and the log continues when there is space', async () => {
    const path = join(temporaryFolder(), 'app.log')
    const limitBytes = 4 * 1024 * 1024
    writeFileSync(path, `${' '.repeat(limitBytes - 401)}\n`)
    const limited = ['/bin/sh', '-c', `ulimit -f ${limitBytes / 512} && exec "$@"`, 'sh']
    const program = await startWithOutput(openSync(path, 'a'), {}, limited)
    for (const name of ['a', 'b', 'c', 'd', 'e']) expect(await program.signIn(name)).toBe(401)
    truncateSync(path)
    await vi.waitFor(() => expect(readFileSync(path, 'utf8')).toContain('log-lines-dropped'), { timeout: 10_000 })
    expect(await program.signIn('f')).toBe(401)
    expect(await program.stop()).toBe(0)
    const [, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { event: 'log-lines-dropped', count: expect.toSatisfy((count) => count >= 3) },
      { event: 'sign-in', viewer: 'f' },
      { event: 'stopping' },
      { event: 'stopped' },
    ])
  })

  test('sign-ins go on while the reader of standard output stands still', async () => {
    const pipe = makePipe()
    const program = await startWithOutput(pipe.writer)
    fill(pipe.holder)
    expect(await Promise.all(['a', 'b', 'c'].map(program.signIn))).toEqual([401, 401, 401])
    expect(await program.stop()).toBe(0)
  })

  test('sign-ins go on after the reader of standard output has gone', async () => {
    const pipe = makePipe()
    const program = await startWithOutput(pipe.writer)
    closeSync(pipe.holder)
    expect(await Promise.all(['a', 'b', 'c'].map(program.signIn))).toEqual([401, 401, 401])
    expect(await program.stop()).toBe(0)
  })
})

describe('SECURITY_LOG_FILE', () => {
  test('SECURITY_LOG_FILE holds every sign-in, only for this user, while standard output is full and LOG_LEVEL is silent', async () => {
    const path = join(temporaryFolder(), 'logs', 'security.log')
    const settings = { SECURITY_LOG_FILE: path, LOG_LEVEL: 'silent' }
    const program = await startWithOutput(openSync('/dev/full', 'a'), settings)
    expect(await program.signIn('a')).toBe(401)
    // Written before the answer was sent.
    await program.kill()
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { category: 'security', event: 'sign-in', outcome: 'wrong-credentials', viewer: 'a' },
    ])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  test('a full SECURITY_LOG_FILE does not stop sign-ins, and the log on standard output says so', async () => {
    const program = await startLoginProgram({ ...programSettings(), SECURITY_LOG_FILE: '/dev/full' })
    const body = new URLSearchParams({ username: 'a', password: 'wrong' })
    const { status } = await fetch(`http://127.0.0.1:${program.port}/sign-in`, { method: 'POST', body })
    expect(status).toBe(401)
    expect(await program.says('"outcome":"wrong-credentials"')).toContain('"security-log-failed"')
    program.child.kill('SIGTERM')
    expect((await program.ended).status).toBe(0)
  })

  test('a SECURITY_LOG_FILE that cannot be opened ends the start with one sentence', async () => {
    const { folder, options } = lockedFolder()
    const settings = { ...programSettings(), SECURITY_LOG_FILE: join(folder, 'security.log') }
    const { status, stderr } = await runLoginProgram(settings, options).ended
    expect(status).toBe(1)
    expect(stderr).toMatch(/^SECURITY_LOG_FILE [^\n]*EACCES[^\n]*\n$/)
  })
})
