import { appendFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../../../src/server/http-server.ts'
import { openEvening } from '../../../../src/tools/cli/manager/evening/evening.ts'
import { openEventCounts } from '../../../../src/tools/cli/manager/evening/event-counts.ts'
import { loggedEvents } from '../../../../src/tools/cli/security-log/logged-events.ts'
import type { SecurityEvent } from '../../../../src/tools/cli/security-log/security-events.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'

const NOW_MS = Date.parse('2026-11-24T20:30:00Z')

const event = (viewer: string, outcome: string, fields: object = {}) =>
  ({
    event: 'sign-in',
    entryPoint: 'default',
    count: 1,
    ...fields,
    viewer,
    outcome,
    time: '2026-11-24T20:00:00.000Z',
  }) as SecurityEvent

function openLog(more: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder()
  const log = join(folder, 'security.log')
  const add = (...events: readonly SecurityEvent[]) =>
    appendFileSync(log, events.map((one) => `${JSON.stringify({ category: 'security', ...one })}\n`).join(''))
  writeFileSync(log, '')
  const files = {
    USER_STORE_URL: `sqlite:${join(folder, 'v.db')}`,
    SESSION_STORE_URL: `sqlite:${join(folder, 's.db')}`,
  }
  return { add, env: { ...files, SECURITY_LOG_FILE: log, ...more } }
}

const part = <T>(work: Promise<T>): Promise<T | null> => work

test('the last events that are kept are those in the files of the log', async () => {
  const { add, env } = openLog()
  const evening = openEvening(env, { nowMs: () => NOW_MS, events: [] })
  onTestFinished(() => evening.close())
  add(event('ADA', 'wrong-credentials', { address: '192.0.2.1' }), event('ada', 'signed-in', { device: 'Firefox' }))
  add(event('bob', 'no-access', { reason: 'groups', code: 'no-group' }), event('ada', 'waiting'))
  add(event('ada', 'mail-code-sent', { event: 'mail-code' }))
  await evening.read(null)
  for (const viewer of ['ada', 'Bob', 'zoe']) {
    expect(await evening.lastEvents(env, viewer, part)).toEqual(await loggedEvents(env, viewer, part))
  }
})

test('a viewer of two entry points counts once, and a viewer who is in waits no more', () => {
  const counts = openEventCounts(() => NOW_MS)
  for (const [viewer, entryPoint] of [
    ['ada', 'gold'],
    ['ada', 'silver'],
    ['bob', 'gold'],
  ] as const) {
    counts.add(event(viewer, 'waiting', { entryPoint }))
    expect(counts.waiting([entryPoint])).toBe(1)
    counts.add(event(viewer, 'signed-in', { entryPoint }))
  }
  const since = NOW_MS - 31 * 60_000
  const seen = ([null, ['gold'], ['silver'], ['gold', 'silver'], ['other']] as const).map((only) =>
    counts.viewersSince(only, since),
  )
  expect(seen).toEqual([2, 2, 1, 2, 0])
  expect([counts.waiting(null), counts.viewersSince(null, NOW_MS + 120_000)]).toEqual([0, 0])
})

test('a page shows the last figures while a copy of the app does not answer', async () => {
  const server = createServer(() => {})
  const port = await listen(server, 0, '127.0.0.1')
  onTestFinished(() => void server.close().closeAllConnections())
  const { add, env } = openLog({ MANAGER_METRICS_URLS: `http://127.0.0.1:${port}/metrics` })
  const evening = openEvening(env, { nowMs: () => NOW_MS, events: [], mostWaitMs: 20 })
  onTestFinished(() => evening.close())
  add(event('ada', 'signed-in'))
  await evening.readLog()
  expect(await evening.read(null)).toMatchObject({ signedIn: 1, isReading: false, copies: [] })
})
