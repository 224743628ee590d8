import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runHere } from '../../sqlite/run-here.ts'
import { startViewsService } from './views-service.ts'

const START = Date.parse('2026-11-20T18:00:00Z') / 1000
const PERIOD = ['--from', '2026-11-20T18:00:00Z', '--to', '2026-11-20T20:00:00Z']
/** The settings that `readEntryPointSettings` needs. The service knows viewers by the number of their badge. */
const BADGES = {
  PUBLIC_URL: 'https://login.example.com',
  HASH_SECRET: 'b7f1c9e2a8d04653917f2ce0d84ba61f',
  PLAYER_RETURN_URL: 'https://video.example.com/return',
  PLAYER_ORIGINS: 'https://video.example.com',
  HASH_PARAMETERS: 'user=badge',
}

const cwd = mkdtempSync(join(tmpdir(), 'attendance-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))
beforeAll(async () => {
  const add = (name: string, ...options: string[]) =>
    runHere(['viewers', 'add', name, ...options], { cwd, stdin: 'correct horse battery staple 7\n' })
  await add('ada@example.com', '--group', 'staff', '--attribute', 'badge=4711')
  await add('grace@example.com', '--group', 'press')
  await add('kurt@example.com', '--group', 'staff')
  await runHere(['viewers', 'disable', 'grace@example.com'], { cwd })
})

const SEGMENTS = ['ada@example.com', 'grace@example.com', '4711', 'sso@example.com'].map((name) => ({
  ...({ name, client: 'phone', type: 'live', content: '1001', startSeconds: START, endSeconds: START + 60 } as const),
}))

async function attendance(options: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const { env } = await startViewsService(SEGMENTS)
  const args = ['report', 'attendance', '--channel', '1001', ...PERIOD, '--invited', 'store', '--json', ...options]
  const { status, stdout, stderr } = await runHere(args, { cwd, env: { ...env, ...settings } })
  const rows: Record<string, string>[] = status === 0 ? JSON.parse(stdout) : []
  return { stderr, rows: rows.map(({ viewer, kind, status: state }) => `${viewer} ${kind} ${state}`) }
}

test('viewers of the store who are not disabled are invited', async () => {
  expect((await attendance([])).rows).toEqual([
    'ada@example.com invited came',
    'grace@example.com not-invited came',
    'kurt@example.com invited missing',
    '4711 unknown came',
    'sso@example.com unknown came',
  ])
})

test('with a group, only its members are invited', async () => {
  const { rows } = await attendance(['--group', 'staff'])
  expect(rows.slice(0, 2)).toEqual(['ada@example.com invited came', 'grace@example.com not-invited came'])
})

test.each([
  ['the settings', [], BADGES],
  ['--identifier', ['--identifier', 'badge'], {}],
])('the service may know viewers by an attribute that %s name', async (_what, options, settings) => {
  const { rows } = await attendance(options, settings)
  expect(rows).toEqual([
    'ada@example.com invited came',
    // Without this attribute, nobody knows.
    'kurt@example.com invited unclear',
    ...['ada@example.com', 'grace@example.com', 'sso@example.com'].map((name) => `${name} unknown came`),
  ])
})

test.each([
  [['--group', 'stuff'], '--group: no viewer of the store has \\"stuff\\"'],
  [['--by', 'cty'], '--by: no viewer of the store has \\"cty\\"'],
  [['--identifier', 'bagde'], '--identifier: no viewer of the store has \\"bagde\\"'],
])('%j is refused, since no viewer has it', async (options, words) => {
  expect((await attendance(options)).stderr).toContain(words)
})
