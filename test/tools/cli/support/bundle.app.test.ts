import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { metaOf } from '../../../../src/settings/setting.ts'
import { isSecret, KIT_SETTINGS, SCHEMAS } from '../../../kit-settings.ts'
import { SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runHere } from '../run-here.ts'
import { TOOL_SECRETS } from '../tool-settings.ts'

/** Settings with which every check ends at once: nothing listens. */
const ENV = {
  ...SETTINGS,
  PUBLIC_URL: 'http://localhost:1',
  SERVICE_AUTH_URL: 'http://localhost:1',
  SERVICE_OAUTH_URL: 'http://localhost:1',
  SERVICE_BASE_URL: 'http://localhost:1',
  SERVICE_ANALYTICS_URL: 'http://localhost:1/v1',
  SERVICE_CLIENT_ID: 'a1'.repeat(20),
  SERVICE_CLIENT_SECRET: randomBytes(20).toString('hex'),
}
/** All secrets of the kit, of the command line, and of the prompts. */
const SECRETS = [...KIT_SETTINGS.filter(isSecret), ...TOOL_SECRETS, 'VIEWER_PASSWORD', 'SERVICE_PASSWORD']
const plant = () => `Pl4nt ${randomBytes(12).toString('base64url')}/x`

let cwd: string
beforeEach(() => {
  cwd = temporaryFolder()
})

async function bundleWith(env: Record<string, string>) {
  const file = join(cwd, 'support.json')
  const ended = await runHere(['support', 'bundle', '--output', file, '--channel', '1002'], { cwd, env })
  const text = readFileSync(file, 'utf8')
  return { ...ended, file, text, data: JSON.parse(text) }
}

/** A security log, and a port of metrics, in which every text may stand. */
async function leaks(secrets: readonly string[]): Promise<Record<string, string>> {
  const log = join(cwd, 'security.log')
  const lines = secrets.map((secret) => ({
    category: 'security',
    event: 'sign-in',
    outcome: 'wrong-credentials',
    time: '2026-11-23T10:00:00.000Z',
    viewer: secret,
    address: '192.0.2.7',
    entryPoint: 'default',
    status: 401,
    level: 40,
    reason: `as in https://app:${encodeURIComponent(secret)}@db.example, ${secret}`,
  }))
  writeFileSync(log, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const server = createServer((_req, res) => void res.end(secrets.map((one) => `leak{of="${one}"} 1\n`).join('')))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { SECURITY_LOG_FILE: log, METRICS_PORT: String((server.address() as AddressInfo).port) }
}

describe('support bundle', () => {
  test('support bundle writes one file for this user only, with all sections', async () => {
    const { status, stdout, file, data } = await bundleWith({ ...ENV, ...(await leaks(['ada', 'ada', 'bob'])) })
    expect([status, stdout]).toEqual([0, `Wrote ${file}. Read it before you send it.\n`])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(cwd).filter((name) => name.endsWith('.part'))).toEqual([])
    expect(data).toMatchObject({
      versions: { app: expect.stringMatching(/^\d/), node: process.version },
      settings: { settings: { PUBLIC_URL: 'http://localhost:1', SESSION_SECRET: 'set' } },
      doctor: { verdict: expect.stringContaining('not get through') },
      metrics: expect.arrayContaining(['leak{of="bob"} 1']),
    })
    expect(data.refusals).toMatchObject(
      ['viewer 1', 'viewer 1', 'viewer 2'].map((viewer) => ({ viewer, address: 'address 1' })),
    )
  })

  test('support bundle writes the mistakes of wrong settings', async () => {
    const { status, data } = await bundleWith({ ...ENV, PLAYER_ORIGINS: 'none' })
    expect([status, data.settings.error]).toEqual([0, expect.stringContaining('PLAYER_ORIGINS')])
    expect([data.refusals, data.metrics]).toEqual(['SECURITY_LOG_FILE is off.', 'METRICS_PORT is not set.'])
  })

  test.each(['in the environment', 'in files'])('no planted secret is in the bundle: secrets %s', async (place) => {
    const planted = SECRETS.map((name) => {
      const secret = plant()
      const isAddress = metaOf(SCHEMAS[name]).isAddress === true
      const value = isAddress ? `postgres://app:${encodeURIComponent(secret)}@db.example/app` : secret
      return { name, secret, value }
    })
    const values = planted.map(({ name, value }): [string, string] => {
      // The passwords of prompts come from the environment alone.
      if (place === 'in the environment' || name.endsWith('_PASSWORD')) return [name, value]
      const file = join(cwd, name)
      writeFileSync(file, `${value}\n`)
      return [`${name}_FILE`, file]
    })
    const secrets = planted.map(({ secret }) => secret)
    const inUse = place === 'in files' ? { SERVICE_CLIENT_SECRET: '', HASH_SECRET: '', SESSION_SECRET: '' } : {}
    const { text, data } = await bundleWith({
      ...ENV,
      ...inUse,
      USER_STORE_URL: '',
      ...(await leaks(secrets)),
      ...Object.fromEntries(values),
    })
    expect(data.metrics.length).toBeGreaterThan(SECRETS.length)
    const found = planted.filter(({ secret }) =>
      [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')].some((form) => text.includes(form)),
    )
    expect(found.map(({ name }) => name)).toEqual([])
    const LOG_ALONE = JSON.stringify(data.refusals)
    expect(LOG_ALONE).toContain('[removed]')
  })

  test('no person of the settings is in the bundle, and nothing that could open something', async () => {
    const { data, text } = await bundleWith({
      ...ENV,
      ALLOWED_GROUPS: 'ada-lovelace,board',
      BRAND_TITLE: 'The evening of Ada Lovelace',
      HELP_URL: 'mailto:ada@lovelace.example?subject=help',
      TERMS_URL: 'https://terms.example/of/lovelace?key=l0velace',
      CONTEXT_WORDS: 'lovelace',
      HASH_PARAMETERS: 'user=username,team=team',
      ...(await leaks(['ask zoe@lovelace.example, or open https://help.example/?key=l0velace#top'])),
    })
    expect(data.settings.error).toBeUndefined()
    expect(data.settings.settings).toMatchObject({
      PUBLIC_URL: 'http://localhost:1',
      CONTEXT_WORDS: 'set',
      LOG_LEVEL: 'info',
    })
    expect(data.settings.entryPoints[0].settings).toMatchObject({
      ALLOWED_GROUPS: 'set',
      HELP_URL: 'set',
      HASH_LIFETIME_SECONDS: '3600',
      HASH_PARAMETERS: 'user=username, team=team',
      HASH_SECRET: 'set',
      PLAYER_ORIGINS: SETTINGS.PLAYER_ORIGINS,
      SCREEN_SCRIPT: expect.stringMatching(/^o(n|ff)$/),
    })
    expect(text).not.toMatch(/l[o0]velace/i)
    expect(data.refusals[0].reason).toContain('https://help.example/?[removed]')
  })

  test.each([
    ['a response', `[{"user":"ada"},{"hashExpire":1795221657},{"hash":"${'3c43e9f0'.repeat(4)}"}]`],
    ['an address with a response', `https://player.example/pass?hash=${encodeURIComponent('[{"user":"ada"}]')}&x=1`],
    ['a token', 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl'],
    ['a header', 'Authorization: Bearer YWJjZGVmZ2hpamts'],
    ['an address with a password', 'redis://app:herons@redis.example/0'],
    ['a key', '-----BEGIN PRIVATE KEY-----MIIE'],
  ])('%s of unknown origin is not in the bundle', async (_case, leak) => {
    const { data } = await bundleWith({ ...ENV, ...(await leaks([leak])) })
    const left = JSON.stringify(data.refusals[0].reason) + data.metrics[0]
    expect(left).toContain('[removed]')
    for (const secret of ['3c43e9f0', '"user', '%22user', 'eyJ', 'YWJj', 'herons', 'MIIE'])
      expect(left).not.toContain(secret)
  })
})

test('a file that cannot be written is named, before any check', async () => {
  const output = join(cwd, 'missing', 'support.json')
  const { status, stderr } = await runHere(['support', 'bundle', '--output', output], { cwd, env: ENV })
  expect([status, stderr]).toEqual([1, expect.stringContaining('the folder does not exist')])
})
