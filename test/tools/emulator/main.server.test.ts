import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { compileCache } from '../../compile-cache.ts'
import { freePort } from '../../servers/free-port.ts'
import { LOCKED_CHANNEL } from './player/service.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Starts `npm run emulator` without npm. `url` resolves when it listens, and rejects if it ends before. */
function startEmulatorProgram(environment: Record<string, string>, args: readonly string[] = []) {
  const child = spawn(process.execPath, ['src/tools/emulator/main.ts', ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', EMULATOR_PORT: '0', ...compileCache, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  const ended = once(child, 'close').then(() => ({ status: child.exitCode, signal: child.signalCode }))
  const url = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text
        const address = /at (http:\S+)\/\n/.exec(printed)?.[1]
        if (address !== undefined) resolve(address)
      })
    }
    void ended.then(() => reject(new Error(`The emulator ended: ${printed}`)))
  })
  url.catch(() => {})
  return { child, printed: () => printed, url, ended }
}

let folder: string
let environment: { EMULATOR_DATA_FILE: string }

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emulator-'))
  environment = { EMULATOR_DATA_FILE: join(folder, 'emulator.db') }
})

afterEach(() => rm(folder, { recursive: true }))

describe('npm run emulator', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'the emulator stops with status 0 on %s, also with open connections',
    async (signal) => {
      const { child, url, ended } = startEmulatorProgram(environment)
      const validation = await fetch(`${await url}/embed/hashlock/validate`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...LOCKED_CHANNEL, content_id: '1002', response: null }),
      })
      const { playback } = (await validation.json()) as { playback: string }
      const stream = await fetch(`${await url}/chat/1002/messages?playback=${playback}`)
      child.kill(signal)
      expect(await ended).toEqual({ status: 0, signal: null })
      await expect(stream.text()).rejects.toThrow('terminated')
    },
  )

  test('the emulator answers, and stops with status 0, while its output is a full disk', async () => {
    const port = await freePort()
    const env = { ...environment, EMULATOR_PORT: String(port) }
    const program = fileURLToPath(new URL('../../../src/tools/emulator/main.ts', import.meta.url))
    const full = openSync('/dev/full', 'a')
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', full, full] })
    const ended = once(child, 'exit')
    await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200), 30_000)
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  test('the emulator ends with status 1 and one line when its port is in use', async () => {
    const first = startEmulatorProgram(environment)
    const { port } = new URL(await first.url)
    const second = startEmulatorProgram({ ...environment, EMULATOR_PORT: port })
    expect((await second.ended).status).toBe(1)
    expect(second.printed()).toMatch(new RegExp(`^Port ${port} .*EMULATOR_PORT.*\n$`))
    first.child.kill('SIGTERM')
    expect((await first.ended).status).toBe(0)
  })

  test('the emulator ends with status 1 for wrong settings, and with status 2 for a wrong argument', async () => {
    const wrong = startEmulatorProgram({ EMULATOR_PORT: 'x', EMULATOR_HOST: '192.168.1.1' })
    expect((await wrong.ended).status).toBe(1)
    expect(wrong.printed()).toMatch(/EMULATOR_PORT.*\n.*EMULATOR_HOST/)
    const seed = join(folder, 'seed.json')
    await writeFile(seed, '{"clients": [], "users": 1}')
    const seeded = startEmulatorProgram(environment, ['--seed', seed])
    expect((await seeded.ended).status).toBe(1)
    expect(seeded.printed()).toMatch(/^The seed file .*seed\.json has mistakes:\n {2}clients .*\n {2}users .*\n$/)
    const usage = startEmulatorProgram(environment, ['--seed-views', 'many'])
    expect((await usage.ended).status).toBe(2)
    expect(usage.printed()).toMatch(/^Usage: .*--seed-views N/)
  })

  test('--seed-views 500 generates 500 view segments once, not at every start', async () => {
    for (let start = 0; start < 2; start += 1) {
      const { child, url, ended } = startEmulatorProgram(environment, ['--seed-views', '500'])
      await url
      child.kill('SIGTERM')
      await ended
      const database = new DatabaseSync(environment.EMULATOR_DATA_FILE)
      expect(database.prepare('SELECT count(*) AS n FROM watched_segments').get()?.n).toBe(500)
      database.close()
    }
  })
})
