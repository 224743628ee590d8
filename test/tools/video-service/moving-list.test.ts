import { expect, test } from 'vitest'
import { pages } from '../../../src/tools/video-service/analytics/analytics.ts'
import { MOVED } from '../../../src/tools/video-service/analytics/moving-list.ts'
import type { Question } from '../../../src/tools/video-service/analytics/report-question.ts'
import type { ServiceRequest } from '../../../src/tools/video-service/service-request.ts'

const QUESTIONS = 3_000
const period = { from: '2026-11-20T10:00:00+00:00', to: '2026-11-20T20:00:00+00:00' }
const VIEWERS: Question = { report: 'viewers' }

/** Returns numbers from 0 to 1 that are the same at each run. */
function seededRandom(seed: number): () => number {
  let state = ((seed + 1) * 1_234_567) % 2_147_483_647
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

type Change = (list: string[], request: number) => unknown

/** A service with a list of viewers that changes before a request. @param mostRows a lower limit of the service itself. */
function listService(list: string[], change: Change, mostRows = Number.POSITIVE_INFINITY) {
  const sent: ServiceRequest[] = []
  const send = (request: ServiceRequest) => {
    sent.push(request)
    if (sent.length > 1) change(list, sent.length)
    const page = Number(request.url.searchParams.get('_page'))
    const limit = Math.min(Number(request.url.searchParams.get('_limit')), mostRows)
    const rows = list.slice((page - 1) * limit, page * limit)
    const attributes = (viewer_identifier: string) => ({
      viewer_identifier,
      last_activity: period.from,
      videos_watched: 1,
      segments: [],
    })
    const next = page * limit < list.length ? { href: `?_page=${page + 1}&_limit=${limit}` } : null
    const data = rows.map((name) => ({ type: 'Viewer', attributes: attributes(name) }))
    const body = JSON.stringify({ data, pagination: { count: list.length, next } })
    return Promise.resolve({ status: 200, contentType: 'application/json', body })
  }
  const token = () => Promise.resolve({ type: 'jwt', value: 'a.b.c', expiresAtSeconds: 1 } as const)
  return { deps: { settings: { analyticsUrl: 'https://analytics.example/v1' }, send, token }, sent }
}

/** Reads the whole list. */
async function read(deps: Parameters<typeof pages>[0]) {
  const names: string[] = []
  let odd: ReadonlyMap<string, number> = new Map()
  for await (const page of pages(deps, VIEWERS)) {
    names.push(...page.rows.map((row) => ('viewer_identifier' in row ? String(row.viewer_identifier) : '')))
    odd = page.odd
  }
  return { names, odd }
}

const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `viewer ${index}`)

/** Adds, removes and moves rows: up to two changes before a request. Notes the rows that were removed. */
function randomChange(random: () => number, share: number, removed: Set<string>): Change {
  let added = 0
  const at = (list: readonly string[]) => Math.floor(random() * list.length)
  return (list) => {
    for (let change = 0; change < 2; change += 1) {
      if (random() > share) continue
      const kind = random()
      if (kind < 1 / 3) list.splice(at(list), 0, `new ${added++}`)
      else if (kind < 2 / 3) for (const name of list.splice(at(list), 1)) removed.add(name)
      else list.splice(at(list), 0, ...list.splice(at(list), 1))
    }
  }
}

test(`of ${QUESTIONS} lists that change, no report has a row twice, and none loses a row without a word`, async () => {
  const found = { lost: 0, silent: [] as number[], twice: [] as number[] }
  for (let question = 0; question < QUESTIONS; question += 1) {
    const random = seededRandom(question)
    const list = namesOf(1 + Math.floor(random() * 80))
    const before = [...list]
    const removed = new Set<string>()
    // A third of the services has a lower limit of its own, which it names in its links.
    const mostRows = question % 3 === 0 ? 10 : undefined
    const { deps } = listService(list, randomChange(random, random(), removed), mostRows)
    const { names, odd } = await read(deps)
    const lost = before.filter((name) => !removed.has(name) && !names.includes(name))
    if (new Set(names).size < names.length) found.twice.push(question)
    if (lost.length > 0) found.lost += 1
    if (lost.length > 0 && !odd.has(MOVED)) found.silent.push(question)
  }
  expect(found).toMatchObject({ twice: [], silent: [] })
  expect(found.lost).toBeGreaterThan(100)
})

const CHANGES: [name: string, change: Change][] = [
  ['a row that is removed from a page before', (list) => list.splice(0, 1)],
  ['a row that is added to a page before', (list) => list.unshift('new')],
  ['a row that moves to a page before', (list) => list.unshift(...list.splice(30, 1))],
  ['a row that moves from a page before', (list) => list.splice(35, 0, ...list.splice(0, 1))],
  [
    'a row that is removed before and another that comes after',
    (list) => list.push('new', ...list.splice(0, 1).slice(1)),
  ],
]
test.each(CHANGES)('%s is seen', async (_name, change) => {
  const { deps } = listService(namesOf(60), (list, request) => request === 2 && change(list, request))
  expect((await read(deps)).odd.get(MOVED)).toBeGreaterThan(0)
})

test('of a list that does not change, each full page has the last row of the page before', async () => {
  const { deps, sent } = listService(namesOf(60), () => {})
  expect(await read(deps)).toEqual({ names: namesOf(60), odd: new Map() })
  expect(sent.map(({ url }) => url.search)).toEqual(['?_page=1&_limit=24', '?_page=2&_limit=23', '?_page=3&_limit=22'])
})

test('a list that only grows at its end counts as unchanged', async () => {
  const { deps, sent } = listService(namesOf(60), (list, request) => list.push(`new ${request}`))
  expect((await read(deps)).odd).toEqual(new Map())
  expect(sent).toHaveLength(3)
})
