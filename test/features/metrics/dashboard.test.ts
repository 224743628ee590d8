import { globSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createMetrics } from '../../../src/features/metrics/metrics.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const read = (name: string) => readFileSync(new URL(`../../../src/features/metrics/${name}`, import.meta.url), 'utf8')

/** The names of the metrics that a text uses, without the endings of a histogram. */
const namesIn = (text: string) =>
  new Set([...text.matchAll(/\b(?:viewer_auth|process|nodejs)_\w+/g)].map(([name]) => name.replace(/_bucket$/, '')))

async function offered(): Promise<string> {
  const metrics = createMetrics({
    version: '1.2.3',
    stores: { users: () => true },
    hashingQueue: () => ({ running: 0, waiting: 0 }),
    countSessions: () => 0,
    linesDropped: () => ({ main: 0 }),
    signInOutcomes: ['signed-in'],
    entryPoints: ['default'],
    ofFeatures: [],
  })
  metrics.countClientFault('malformed')
  // Metrics that a feature registers, by their names in its code.
  const ofFeatures = globSync(['src/features/**/*.ts', 'src/services/**/*.ts'], { cwd: ROOT }).map((path) =>
    readFileSync(join(ROOT, path), 'utf8'),
  )
  const { promise, resolve } = Promise.withResolvers<string>()
  const res = { writeHead() {}, end: resolve } as unknown as ServerResponse
  metrics.listener({ url: '/metrics', method: 'GET' } as never, res as never)
  return [await promise, ...ofFeatures].join()
}

test.each(['prometheus-rules.yml', 'grafana-dashboard.json', 'README.md'])(
  '%s uses only metrics that exist',
  async (name) => {
    const known = namesIn(await offered())
    expect(
      [...namesIn(read(name))].filter(
        (metric) => !known.has(metric.replace(/_(count|sum)$/, '')) && !known.has(metric),
      ),
    ).toEqual([])
  },
)

test('every metric of the app is explained in the README', async () => {
  const own = [...namesIn(await offered())].filter((name) => /^viewer_auth_/.test(name) && !/_(sum|count)$/.test(name))
  expect(own.filter((name) => !namesIn(read('README.md')).has(name))).toEqual([])
})

test('every alert is explained in the README', () => {
  const alerts = [...read('prometheus-rules.yml').matchAll(/alert: (\w+)/g)].map(([, alert]) => alert)
  const explained = [...read('README.md').matchAll(/^\| `([A-Z]\w+)` \|/gm)].map(([, alert]) => alert)
  expect(alerts.length).toBeGreaterThan(5)
  expect(explained).toEqual(alerts)
})

test('the panels of the dashboard do not overlap', () => {
  interface Panel {
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  }
  const { panels } = JSON.parse(read('grafana-dashboard.json')) as { panels: Panel[] }
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  )
  expect(panels.length).toBeGreaterThan(5)
  expect(new Set(cells).size).toBe(cells.length)
})
