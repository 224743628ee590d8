import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadSecrets } from '../../../../src/tools/emulator/demo/demo-secrets.ts'
import { ALL_CLEAR } from '../../../with-emulator/all-clear.ts'
import { type DemoProgram, homePageOf, startDemo, stopDemo, takePort, temporaryFolder } from './demo-program.ts'

const started: DemoProgram[] = []
let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterEach(async () => {
  for (const demo of started.splice(0)) {
    await stopDemo(demo)
  }
  await folder.remove()
})

function start(environment: Record<string, string> = {}): DemoProgram {
  const demo = startDemo({ DEMO_DATA_FOLDER: folder.path, ...environment })
  started.push(demo)
  return demo
}

/** Hides the package, as an installation without dev dependencies does. */
const WITHOUT_PROVIDER = `--import=data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  registerHooks({ resolve(specifier, context, next) {
    if (specifier.startsWith('oidc-provider')) throw new Error('not installed')
    return next(specifier, context)
  } })`)}`

function addressesIn(printed: string) {
  const page = /http:\/\/page\.localhost:\d+\/channel\/\d+/.exec(printed)?.[0] ?? ''
  const service = /http:\/\/127\.0\.0\.1:\d+\//.exec(printed)?.[0] ?? ''
  const login = /http:\/\/localhost:\d+\//.exec(printed)?.[0] ?? ''
  return { page, service, login }
}

/** fetch() cannot resolve names below localhost; every browser can. */
function statusOf(url: string): Promise<number | undefined> {
  const { host, port, pathname } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: pathname, headers: { Host: host } }, (res) => {
      res.resume()
      resolve(res.statusCode)
    })
    sent.on('error', reject).end()
  })
}

async function seedOf(service: string) {
  const seed = await (await fetch(`${service}emulator/seed`)).json()
  return seed as {
    viewers: { username: string; password: string }[]
    channels: { id: string; locked: boolean }[]
    videos: { locked: boolean }[]
    locks: { url: string }[]
  }
}

interface Account {
  readonly username: string
  readonly password: string
}

/** Goes the way of the player's frame: to the login app, and back with a token that starts the video. */
async function expectTokenFor(account: Account | undefined, { ref, login }: { ref: string; login: string }) {
  const asked = await fetch(ref, { redirect: 'manual' })
  expect(asked.headers.get('location')).toBe(`${login}e/tokens?ref=${encodeURIComponent(ref)}`)
  const body = new URLSearchParams({ ...account, ref })
  const signedIn = await fetch(`${login}e/tokens/sign-in`, { method: 'POST', body, redirect: 'manual' })
  const location = signedIn.headers.get('location') ?? ''
  expect([signedIn.status, location.split('?vt=')[0]]).toEqual([303, ref])
  expect((await fetch(location, { redirect: 'manual' })).status).toBe(200)
}

function signIn(login: string, account: Account | undefined) {
  const body = new URLSearchParams({ ...account })
  return fetch(`${login}sign-in`, { method: 'POST', body, redirect: 'manual' })
}

/** Runs the commands of the home page, with the settings of the demo. */
async function expectShownCommands(demo: DemoProgram): Promise<void> {
  const { viewers } = await seedOf(addressesIn(demo.printed()).service)
  const shown = await homePageOf(demo)
  const [file = ''] = /\S+settings\.env/.exec(shown) ?? []
  expect(statSync(join(folder.path, 'settings.env')).mode & 0o777).toBe(0o600)
  const env = { PATH: process.env.PATH ?? '', VIEWER_PASSWORD: viewers[0]?.password ?? '' }
  const script = `set -a; . ${file}; set +a; exec '${process.execPath}' src/tools/cli/main.ts "$@"`
  const run = (...args: string[]) =>
    execFileSync('sh', ['-euc', script, 'sh', ...args], { encoding: 'utf8', env, stdio: 'pipe' })
  const commands = [...shown.matchAll(/viewer-auth -- (lock set|doctor) (.+)/g)]
  const [lockSet = [], doctor = []] = commands.map(([, command = '', args = '']) => `${command} ${args}`.split(' '))
  run(...lockSet, '--yes')
  expect(doctor).toContain(viewers[0]?.username)
  expect(run(...doctor)).toMatch(ALL_CLEAR)
  const peaks = JSON.parse(run('report', 'peak-viewer-numbers', '--last', '7d', '--json')) as { value: number }[]
  expect(Math.max(...peaks.map(({ value }) => value))).toBeGreaterThan(90)
}

describe('npm run demo', () => {
  test('the demo prints addresses and viewers in 20 lines, shows commands on the home page that prove that viewers get through, listens on loopback only and stops with status 0', async () => {
    const real = { HASH_SECRET: 'x'.repeat(40), USER_STORE_URL: `sqlite:${join(folder.path, 'real.db')}` }
    const demo = start(real)
    await demo.running
    const { page, service, login } = addressesIn(demo.printed())
    expect(await statusOf(page)).toBe(200)
    expect(demo.printed().split('\n').length).toBeLessThanOrEqual(20)
    const inSafari = page.replace('page.localhost', '127.0.0.1')
    expect(demo.printed()).toContain(inSafari)
    expect(await statusOf(inSafari)).toBe(200)
    const { viewers, channels, videos } = await seedOf(service)
    for (const { username, password } of viewers) expect(demo.printed()).toMatch(new RegExp(`${username} +${password}`))
    expect(page).toContain(`/channel/${channels.find(({ locked }) => locked)?.id}`)
    expect(videos.some(({ locked }) => locked)).toBe(true)

    const signedIn = await signIn(login, viewers[0])
    expect(signedIn.status).toBe(303)
    expect(signedIn.headers.get('location')).toMatch(new RegExp(`^${service}embed/hashlock/pass\\?hash=`))
    await expectTokenFor(viewers[0], { ref: `${service}embed/1200`, login })
    const shown = await homePageOf(demo)
    for (const channel of ['1100', '1200']) expect(shown).toContain(page.replace(/\d+$/, channel))
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
    for (const { address } of outside) {
      for (const url of [service, login])
        await expect(fetch(`http://${address}:${new URL(url).port}/`)).rejects.toThrow()
    }
    const screens = [login, `${login}e/plain`].map(async (url) => (await fetch(url)).text())
    const names = (await Promise.all(screens)).map((text) => text.includes('Lakeside Media'))
    expect(names).toEqual([true, false])
    expect(shown).toContain(`${login}e/plain`)
    await expectShownCommands(demo)
    expect(await stopDemo(demo)).toBe(0)
    for (const url of [service, login]) await expect(fetch(url)).rejects.toThrow('fetch failed')
    // No setting of a real installation reached the demo.
    expect(readdirSync(folder.path)).not.toContain('real.db')
  })

  test('the demo runs without the package of the provider, and starts again with it and the same viewers and secrets', async () => {
    const first = start({ NODE_OPTIONS: WITHOUT_PROVIDER })
    await first.running
    expect(await homePageOf(first)).toContain('without single sign-on. The package oidc-provider is not installed.')
    expect((await fetch(`${addressesIn(first.printed()).login}e/company`)).status).toBe(404)
    expect(await stopDemo(first)).toBe(0)
    const kept = readFileSync(join(folder.path, 'secrets.json'), 'utf8')
    const second = start()
    await second.running
    const { service, login } = addressesIn(second.printed())
    const { viewers, locks } = await seedOf(service)
    for (const viewer of viewers) expect((await signIn(login, viewer)).status).toBe(303)
    // The login app has another port now, and the locks point to it. One has come with the provider.
    const urls = locks.map(({ url }) => url)
    expect(urls.filter((url) => url === login || url.endsWith('/e/company'))).toEqual([
      login,
      login,
      `${login}e/company`,
    ])
    expect(urls.filter((url) => !url.startsWith(login))).toEqual([])
    expect(readFileSync(join(folder.path, 'secrets.json'), 'utf8')).toBe(kept)
    expect(
      (
        await fetch(
          (await homePageOf(second)).match(/http\S+\/channel\/1100/)?.[0].replace('page.localhost', '127.0.0.1') ?? '',
        )
      ).status,
    ).toBe(200)
    // The demo ends with its login app.
    process.kill(childOf(second.child.pid ?? 0), 'SIGKILL')
    expect(await second.ended).toBe(1)
    expect(second.printed()).toContain('SIGKILL')
  })

  test('each data folder has its own secrets, and only its user can read them', async () => {
    const other = await temporaryFolder()
    const one = loadSecrets(folder.path)
    const two = loadSecrets(other.path)
    expect(one.hashSecret).not.toBe(two.hashSecret)
    expect(one.sessionSecret).not.toBe(two.sessionSecret)
    expect(one.viewers[0]?.password).not.toBe(two.viewers[0]?.password)
    expect(one.hashSecret).toMatch(/^[0-9a-f]{40}$/)
    expect(statSync(folder.path).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder.path, 'secrets.json')).mode & 0o777).toBe(0o600)
    expect(loadSecrets(folder.path)).toEqual({ ...one, isNew: false })
    await other.remove()
  })

  test.each(['DEMO_PORT', 'EMULATOR_PORT'])('the error for a port in use names the setting %s', async (setting) => {
    const taken = await takePort()
    const demo = start({ [setting]: String(taken.port) })
    expect(await demo.ended).toBe(1)
    expect(demo.printed()).toContain(
      `Port ${taken.port} on 127.0.0.1 is in use. Stop the other program, or set ${setting} to another port.`,
    )
    await taken.release()
  })

  test('the demo prints the message of a login app that refuses to start', async () => {
    const demo = start({ HASH_LIFETIME_SECONDS: 'soon' })
    expect(await demo.ended).toBe(1)
    expect(demo.printed()).toContain('hashLifetimeSeconds')
  })

  test('the demo stops with status 0 when Ctrl-C interrupts its start', async () => {
    const demo = start()
    await new Promise((resolve) => demo.child.stdout?.once('data', resolve))
    expect(await stopDemo(demo)).toBe(0)
    expect(demo.printed()).not.toContain('The demo is running')
  })

  test('the demo ends with one sentence when its output cannot be written', async () => {
    const full = openSync('/dev/full', 'a')
    const demo = startDemo({ DEMO_DATA_FOLDER: folder.path }, full)
    closeSync(full)
    expect(await demo.ended).toBe(1)
    expect(demo.printed()).toMatch(/^[^\n]*\(ENOSPC\)\.\n$/)
  })

  test('the demo lists all wrong settings at once', async () => {
    const demo = start({ DEMO_PORT: 'x', EMULATOR_PORT: '70000' })
    expect(await demo.ended).toBe(1)
    expect(demo.printed()).toBe(
      'The demo cannot start:\n  DEMO_PORT must be a port number\n  EMULATOR_PORT must be between 0 and 65535\n',
    )
  })
})

/** Returns the process id of the demo's only child. */
function childOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number)
  const isLoginApp = (child: number) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('src/main.ts')
  return children.find(isLoginApp) ?? 0
}
