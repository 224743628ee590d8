import { registerHooks } from 'node:module'
import { afterEach, expect, test } from 'vitest'
import { EmulatorStartError } from '../../../../src/tools/emulator/companion.ts'
import { checkSeedFile } from '../../../../src/tools/emulator/seed/seed-file.ts'
import { readEmulatorSettings } from '../../../../src/tools/emulator/settings.ts'
import { startProvider } from '../../../../src/tools/emulator/sso/start-provider.ts'
import { type RunningEmulator, startEmulator } from '../../../../src/tools/emulator/start-emulator.ts'

const LOGIN_URL = 'http://localhost:3000/'
const running: RunningEmulator[] = []

afterEach(async () => {
  for (const { close } of running.splice(0)) await close()
})

async function start(): Promise<RunningEmulator & { issuer: string }> {
  const emulator = await startEmulator({ port: 0, companions: { ports: { provider: 0 }, loginUrl: LOGIN_URL } })
  running.push(emulator)
  return { ...emulator, issuer: emulator.companions[0]?.settings.OIDC_ISSUER ?? '' }
}

test('the home page and /emulator/seed name the provider, its client and its people', async () => {
  const { url, issuer } = await start()
  const seed = (await (await fetch(`${url}/emulator/seed`)).json()) as { provider: object }
  expect(seed.provider).toMatchObject({
    issuer,
    clients: [
      {
        client_id: 'login-app',
        client_secret: expect.stringMatching(/^[0-9a-f]{64}$/),
        redirect_uris: [`${LOGIN_URL}sso/callback`],
      },
    ],
    people: expect.arrayContaining([expect.objectContaining({ username: 'ada@lakeside.example' })]),
  })
  expect(await (await fetch(`${url}/emulator/env`)).text()).toContain(
    `OIDC_ISSUER=${issuer}\nOIDC_CLIENT_ID=login-app\n`,
  )
  const home = await (await fetch(`${url}/`)).text()
  expect(home).toContain(issuer)
  expect(home).toContain('ada@lakeside.example')
  expect(checkSeedFile(seed)).toMatchObject({ ok: true })
})

test('the emulator shares its faults and its request log with the provider', async () => {
  const { url, issuer } = await start()
  const headers = { 'Content-Type': 'application/json' }
  const fault = JSON.stringify({ path: '/company/jwks', status: 503 })
  await fetch(`${url}/emulator/faults`, { method: 'POST', headers, body: fault })
  expect((await fetch(`${issuer}/jwks`)).status).toBe(503)
  const { requests } = (await (await fetch(`${url}/emulator/requests`)).json()) as { requests: object[] }
  expect(requests[0]).toMatchObject({ path: '/company/jwks', status: 503, verdict: 'failed' })
})

test('without a provider the seed and the home page do not mention one', async () => {
  const emulator = await startEmulator({ port: 0 })
  running.push(emulator)
  expect(await (await fetch(`${emulator.url}/emulator/seed`)).json()).not.toHaveProperty('provider')
  expect(await (await fetch(`${emulator.url}/`)).text()).not.toContain('Identity provider')
})

test('the emulator starts a provider only if its port is set', () => {
  expect(readEmulatorSettings({ EMULATOR_PROVIDER_PORT: '4001' }, [])).toMatchObject({
    settings: { companionPorts: { provider: 4001 } },
  })
})

test('a provider whose package is not installed does not start, and the error says what to do', async () => {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'oidc-provider') throw new Error('not found')
      return next(specifier, context)
    },
  })
  const started = startProvider({ port: 0, clients: [] })
  await expect(started).rejects.toBeInstanceOf(EmulatorStartError)
  await expect(started).rejects.toThrow('npm ci')
  hooks.deregister()
})

test('the error for a port of the provider in use names its setting', async () => {
  const { issuer } = await start()
  const port = Number(new URL(issuer).port)
  const second = startEmulator({ port: 0, companions: { ports: { provider: port }, loginUrl: LOGIN_URL } })
  await expect(second).rejects.toThrow('EMULATOR_PROVIDER_PORT')
})
