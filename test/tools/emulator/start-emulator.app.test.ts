import { statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EmulatorStartError } from '../../../src/tools/emulator/companion.ts'
import { readDemoSettings, readEmulatorSettings } from '../../../src/tools/emulator/settings.ts'
import { type RunningEmulator, startEmulator } from '../../../src/tools/emulator/start-emulator.ts'

let folder: string
const running: RunningEmulator[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emulator-'))
})

afterEach(async () => {
  for (const { close } of running.splice(0)) await close()
  await rm(folder, { recursive: true })
})

async function start(options: Partial<Parameters<typeof startEmulator>[0]> = {}): Promise<RunningEmulator> {
  const emulator = await startEmulator({ port: 0, ...options })
  running.push(emulator)
  return emulator
}

function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { Host: host } }, (res) => {
      res.resume()
      resolve(res.statusCode)
    })
    sent.on('error', reject).end()
  })
}

describe('start', () => {
  test('the emulator keeps ids, secrets and locks when it restarts on the same file', async () => {
    const dataFile = join(folder, 'new', 'folder', 'emulator.db')
    const first = await start({ dataFile, seed: { lock: { url: 'http://localhost:1/', secret: 'one' } } })
    for (const path of [dataFile, `${dataFile}-wal`, `${dataFile}-shm`]) expect(statSync(path).mode & 0o777).toBe(0o600)
    await running.pop()?.close()
    const second = await start({ dataFile, seed: { lock: { url: 'http://localhost:2/' } } })
    expect(second.seed.clients).toEqual(first.seed.clients)
    expect(second.seed.users).toEqual(first.seed.users)
    expect(second.seed.locks[0]).toMatchObject({ url: 'http://localhost:2/', secret: 'one' })
    expect(await (await fetch(`${second.url}/embed/1001`)).text()).toContain('http://localhost:2/?ustream')
  })

  test('no site can frame the sign-in page, and its form can lead to any client', async () => {
    const { url } = await start()
    const { headers } = await fetch(`${url}/account/sign-in`)
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('content-security-policy')).not.toContain('form-action')
  })

  const hosts: [string, number][] = [
    ['localhost:4000', 200],
    ['LOCALHOST', 200],
    ['page.localhost:4000', 200],
    ['127.0.0.1', 200],
    ['127.9.9.9:1', 200],
    ['[::1]:4000', 200],
    ['evil.example', 421],
    ['evil.example:4000', 421],
    ['localhost.evil.example', 421],
    ['127.0.0.1.evil.example', 421],
    ['notlocalhost', 421],
    ['10.0.0.1', 421],
    ['[::2]', 421],
    ['localhost:4000:evil', 421],
  ]
  test('only requests for loopback hosts get an answer, all others 421', async () => {
    const { url } = await start()
    for (const [host, status] of hosts)
      expect([host, await statusFor(`${url}/emulator/seed`, host)]).toEqual([host, status])
  })

  test('an unknown path, malformed JSON and a malformed path get a JSON error', async () => {
    const { url } = await start()
    const unknown = await fetch(`${url}/nothing/here`)
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { error: 'not_found', error_description: expect.stringContaining('/nothing/here') },
    ])
    const malformed = await fetch(`${url}/embed/hashlock/validate`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"a":',
    })
    expect(malformed.status).toBe(400)
    const encoded = await fetch(`${url}/embed/%E0%A4%A`)
    expect(encoded.status).toBe(400)
    expect(encoded.headers.get('content-type')).toMatch('application/json')
  })

  test('an internal error reaches onError, and its response holds no details', async () => {
    const broken: unknown[] = []
    const dataFile = join(folder, 'emulator.db')
    const { url } = await start({ dataFile, onError: (error) => broken.push(error) })
    const { DatabaseSync } = await import('node:sqlite')
    const other = new DatabaseSync(dataFile)
    other.exec('DROP TABLE messages')
    other.close()
    const validation = await fetch(`${url}/embed/hashlock/validate`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"content_type":"live","content_id":"1002","response":null}',
    })
    const { playback } = (await validation.json()) as { playback: string }
    const answer = await fetch(`${url}/chat/1002/messages`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ playback, text: 'hello' }),
    })
    const body = await answer.text()
    expect([answer.status, JSON.parse(body)]).toMatchObject([500, { error: 'server_error' }])
    expect(body).not.toContain('messages')
    expect(String(broken[0])).toContain('messages')
  })

  test('a delayed request that outlives the emulator is not an error', async () => {
    const errors: unknown[] = []
    const { url } = await start({ onError: (error) => errors.push(error) })
    const headers = { 'Content-Type': 'application/json' }
    const fault = JSON.stringify({ path: '/embed/1001', delay_ms: 100 })
    await fetch(`${url}/emulator/faults`, { method: 'POST', headers, body: fault })
    const delayed = fetch(`${url}/embed/1001`).catch(() => null)
    await sleep(50)
    await running.pop()?.close()
    await sleep(100)
    expect([await delayed, errors]).toEqual([null, []])
  })

  test('the error for an unusable data file names the file', async () => {
    const file = join(folder, 'text.db')
    await writeFile(file, 'this text is not a database, and long enough to be read as one'.repeat(20))
    for (const dataFile of [file, join(file, 'x.db')]) {
      const opened = startEmulator({ port: 0, dataFile })
      await expect(opened).rejects.toBeInstanceOf(EmulatorStartError)
      await expect(opened).rejects.toThrow(dataFile)
    }
  })
})

describe('settings', () => {
  test('unset and empty settings have defaults', () => {
    expect(readEmulatorSettings({ EMULATOR_PORT: '' }, [])).toEqual({
      ok: true,
      seedViews: 0,
      seedFile: undefined,
      isStrict: false,
      settings: {
        EMULATOR_PORT: 4000,
        EMULATOR_HOST: '127.0.0.1',
        EMULATOR_DATA_FILE: 'data/emulator.db',
        EMULATOR_LOCK_URL: 'http://localhost:3000/',
        EMULATOR_STRICT: 'off',
        EMULATOR_LOCAL_NETWORK: 'off',
        companionPorts: {},
      },
    })
    expect(readDemoSettings({})).toMatchObject({ settings: { DEMO_PORT: 3000, EMULATOR_PORT: 4000 } })
  })

  test.each([
    ['--strict', {}, ['--strict'], true],
    ['EMULATOR_STRICT=on', { EMULATOR_STRICT: 'on' }, [], true],
    ['EMULATOR_STRICT=off', { EMULATOR_STRICT: 'off' }, [], false],
  ])('%s is read', (_what, env, args, isStrict) => {
    expect(readEmulatorSettings(env, args)).toMatchObject({ ok: true, isStrict })
  })

  test.each([
    ['--seed FILE', {}, ['--seed', 'a.json'], 'a.json'],
    ['EMULATOR_SEED_FILE', { EMULATOR_SEED_FILE: 'b.json' }, [], 'b.json'],
    ['--seed FILE before EMULATOR_SEED_FILE', { EMULATOR_SEED_FILE: 'b.json' }, ['--seed', 'a.json'], 'a.json'],
  ])('%s names the seed file', (_what, env, args, seedFile) => {
    expect(readEmulatorSettings(env, args)).toMatchObject({ ok: true, seedFile })
  })

  test('EMULATOR_STRICT must be on or off', () => {
    const read = readEmulatorSettings({ EMULATOR_STRICT: 'yes' }, [])
    expect(read).toMatchObject({ ok: false, message: expect.stringContaining('EMULATOR_STRICT must be on or off') })
  })

  test.each([
    [['--seed-views']],
    [['--seed-views', '-1']],
    [['--seed-views', '1e3']],
    [['--seed-views', '10000001']],
    [['--other']],
    [['--seed']],
    [['x']],
  ])('the arguments %j are refused with status 2 and the usage', (args) => {
    expect(readEmulatorSettings({}, args)).toMatchObject({
      ok: false,
      status: 2,
      message: expect.stringMatching('Usage'),
    })
  })
})
