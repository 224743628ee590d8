import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { RunningEmulator } from '../../../src/tools/emulator/start-emulator.ts'
import { readLock } from '../../../src/tools/video-service/locks.ts'
import { SETTINGS } from '../../settings.ts'
import { runHere } from '../../tools/cli/run-here.ts'
import { startService } from '../../tools/video-service/test-service.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { apiOf, emulatorOfTest, environmentFor } from '../video-service/client.ts'

const CHANNEL = ['--channel', '1002']
const FIELDS = ['--message', 'Staff only', '--caption', 'Sign in', '--popup-width', '400', '--popup-height', '300']
const SHOWN = { message: 'Staff only', buttonCaption: 'Sign in', popupWidth: '400', popupHeight: '300' }
const NONE = { message: null, buttonCaption: null, popupWidth: '640', popupHeight: '480' }

let emulator: RunningEmulator
let env: Record<string, string>
let cwd: string
beforeEach(async () => {
  emulator = await emulatorOfTest()
  env = { ...SETTINGS, ...environmentFor(emulator) }
  cwd = temporaryFolder()
})

const run = (...args: string[]) => runHere(args, { cwd, env })
const set = (...args: string[]) => run('lock', 'set', '--yes', ...CHANNEL, ...args)
const lockNow = () => readLock(apiOf(emulator), { kind: 'channel', id: '1002' })

/** Puts a service between that changes the form of a PUT, or refuses it by returning null. */
async function changeForms(change: (form: URLSearchParams) => URLSearchParams | null): Promise<void> {
  const service = await startService(async (req, res) => {
    const { method = 'GET', url: path = '/' } = req
    const form = method === 'PUT' ? change(new URLSearchParams((await req.toArray()).join(''))) : undefined
    if (form === null) return res.writeHead(400).end(JSON.stringify({ error: 'invalid_request' }))
    const headers = { Authorization: req.headers.authorization ?? '' }
    const answer = await fetch(emulator.url + path, { method, headers, ...(form === undefined ? {} : { body: form }) })
    const body = await answer.text()
    return res.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(body)
  })
  env = { ...env, SERVICE_BASE_URL: service.origin }
}
const hasFields = (form: URLSearchParams) => [...form.keys()].some((name) => name !== 'url' && name !== 'secret')
const required = (form: URLSearchParams) =>
  new URLSearchParams([...form].filter(([name]) => name === 'url' || name === 'secret'))

describe('the message, caption and sizes of a lock', () => {
  test('the fields are set by options, and stay when the lock is set without them', async () => {
    expect(await set(...FIELDS)).toMatchObject({ status: 0 })
    expect(await lockNow()).toMatchObject(SHOWN)
    const again = await set('--message', 'All viewers')
    expect(again).toMatchObject({ status: 0 })
    for (const value of ['Staff only', 'All viewers', 'Sign in', '400', '300']) expect(again.stderr).toContain(value)
    expect(await set()).toMatchObject({ status: 0 })
    expect(await lockNow()).toMatchObject({ ...SHOWN, message: 'All viewers' })
  })

  test('an empty text removes a field', async () => {
    await set(...FIELDS)
    expect(await set('--message', '', '--popup-width', '')).toMatchObject({ status: 0 })
    expect(await lockNow()).toMatchObject({ ...SHOWN, message: null, popupWidth: '640' })
  })

  test.each([
    ['ignores', required],
    ['refuses', (form: URLSearchParams) => (hasFields(form) ? null : form)],
  ])(
    'a service that %s the fields gets the lock without them, and the command names what is lost',
    async (_does, change) => {
      await set(...FIELDS)
      await changeForms(change)
      env = { ...env, PUBLIC_URL: 'https://other.example.com' }
      const { status, stdout, stderr } = await set('--json')
      const lost = ['message', 'button caption', 'popup width', 'popup height']
      expect([status, JSON.parse(stdout)]).toMatchObject([1, { state: 'replaced', lost }])
      expect(stderr).toContain('Staff only')
      expect(await lockNow()).toMatchObject({ url: 'https://other.example.com/', ...NONE })
    },
  )

  test('a service that refuses a given field changes nothing, and the command names the option', async () => {
    await set(...FIELDS)
    const { status, stdout, stderr } = await set('--popup-width', 'wide')
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/Nothing was changed\. .*--popup-width\.\n$/)
    expect(await lockNow()).toMatchObject(SHOWN)
  })

  test('a strict service has no complaint when a lock with default sizes is set again', async () => {
    emulator = await emulatorOfTest(0, true)
    env = { ...SETTINGS, ...environmentFor(emulator) }
    for (const state of ['new', 'replaced']) {
      const { status, stdout } = await set('--json')
      expect([status, JSON.parse(stdout)]).toEqual([0, { kind: 'channel', id: '1002', state, url: expect.anything() }])
    }
    expect(await set('--message', 'X')).toMatchObject({ status: 1, stderr: expect.stringContaining('--message') })
  })

  test('lock set tells that the service does not show the fields of a video', async () => {
    const { status, stderr } = await run('lock', 'set', '--yes', '--video', '2001')
    expect([status, stderr]).toEqual([0, expect.stringContaining('they are lost')])
  })

  test('lock set --rotate keeps the fields, and names those that the service drops', async () => {
    const file = join(cwd, 'secret')
    const previous = join(cwd, 'previous')
    writeFileSync(file, SETTINGS.HASH_SECRET)
    writeFileSync(previous, '')
    const { HASH_SECRET: _inFile, ...others } = env
    env = { ...others, HASH_SECRET_FILE: file, HASH_SECRET_PREVIOUS_FILE: previous }
    await set(...FIELDS)
    expect(await set('--rotate')).toMatchObject({ status: 0 })
    expect(await lockNow()).toMatchObject(SHOWN)
    await changeForms(required)
    const { status, stdout } = await set('--rotate', '--json')
    const lost = ['message, button caption, popup width, popup height of channel 1002']
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { state: 'rotated', lost }])
  })
})

describe('the lock of another app', () => {
  const url = 'https://another.example.com/login?a=1'
  const secret = 'b81f4c02d97e36a5f0c8127d6e9a4b53'
  const video = ['lock', 'set', '--yes', '--video', '2003']
  const lockOfVideo = () => readLock(apiOf(emulator), { kind: 'video', id: '2003' })
  let file: string
  beforeEach(() => {
    file = join(cwd, 'secret')
    writeFileSync(file, `${secret}\n`)
  })

  test('--url and --secret-file set a lock without the settings of the login app', async () => {
    env = environmentFor(emulator)
    const { status, stdout, stderr } = await run(...video, '--url', url, '--secret-file', file)
    expect([status, stdout]).toEqual([0, expect.stringContaining(url)])
    expect(await lockOfVideo()).toEqual({ url, secret })
    expect(stdout + stderr).not.toContain(secret)
  })

  test('--url or --secret-file alone replaces one half of the entry point', async () => {
    expect(await run(...video, '--url', url)).toMatchObject({ status: 0 })
    expect(await lockOfVideo()).toEqual({ url, secret: SETTINGS.HASH_SECRET })
    expect(await run(...video, '--secret-file', file)).toMatchObject({ status: 0 })
    expect(await lockOfVideo()).toEqual({ url: `${SETTINGS.PUBLIC_URL}/`, secret })
  })

  test.each([
    ['short', '0123456789abcdef'],
    ['predictable', 'ab'.repeat(32)],
    ['missing', null],
  ])('a %s secret is refused before the service is called', async (_kind, text) => {
    if (text !== null) writeFileSync(file, text)
    const path = text === null ? join(cwd, 'none') : file
    const ended = await run(...video, '--url', url, '--secret-file', path)
    expect(ended).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('--secret-file') })
    expect(ended.stderr).not.toContain(text ?? path)
    expect(await lockOfVideo()).toBeNull()
  })

  test.each([
    [['--url', 'http://another.example.com/']],
    [['--url', 'https://user@another.example.com/']],
    [['--url', 'login']],
    [['--url', url, '--secret-file', 'x', '--entry-point', 'default']],
    [['--rotate', '--url', url]],
    [['--rotate', '--message', 'X']],
  ])('lock set with %j is wrong usage', async (args) => {
    expect(await run(...video, ...args)).toMatchObject({ status: 2, stdout: '' })
  })
})
