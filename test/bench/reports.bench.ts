import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchPart } from './bench-part.ts'
import type { BenchRow } from './bench-row.ts'
import { openChildren } from './child.ts'
import { runCommandLine } from './command-line.ts'

const SEGMENTS = 200_000
/** As the command line asks for them. */
const VIEWS_PER_PAGE = 1_000
const VIEWERS_PER_PAGE = 20
export const MEBIBYTE = 2 ** 20
export const MOST_MEBIBYTES = 250

interface Report {
  readonly name: string
  readonly endpoint: 'views' | 'viewers'
  readonly args: readonly string[]
}

const REPORTS: readonly Report[] = [
  { name: 'views --csv', endpoint: 'views', args: ['views', '--last', '7d', '--csv', '--output'] },
  { name: 'views --json', endpoint: 'views', args: ['views', '--last', '7d', '--json', '--output'] },
  { name: 'views --html', endpoint: 'views', args: ['views', '--last', '7d', '--html'] },
  { name: 'viewers --json', endpoint: 'viewers', args: ['viewers', '--json', '--output'] },
  { name: 'viewers --html', endpoint: 'viewers', args: ['viewers', '--html'] },
]

/** Measures reports of 200,000 segments: pages per second and peak memory of the command. */
export const reports: BenchPart = {
  name: 'reports',
  expectedSeconds: 35,
  async *rows({ installation, progress }) {
    const { folder } = installation
    const file = join(folder, 'report')
    await using children = openChildren()
    const service = await children.start({ script: 'serve-report-pages.ts', args: [String(SEGMENTS)], folder })
    for (const report of REPORTS) {
      progress(`report ${report.name}`)
      yield* await rowsOf(report, `http://127.0.0.1:${service.port}`, file)
    }
    rmSync(file, { force: true })
  },
}

async function rowsOf({ name, endpoint, args }: Report, origin: string, file: string): Promise<BenchRow[]> {
  const rowsPerPage = endpoint === 'views' ? VIEWS_PER_PAGE : VIEWERS_PER_PAGE
  const bare = await readPagesBarely(`${origin}/v1/${endpoint}`, rowsPerPage)
  const run = await runCommandLine(['report', ...args, file], environmentAt(origin))
  const pagesPerSecond = bare.pages / run.elapsedSeconds
  return [
    {
      name: `report ${name}, against fetch and JSON.parse`,
      value: pagesPerSecond,
      unit: 'pages/s',
      baseline: bare.pagesPerSecond,
      ratio: pagesPerSecond / bare.pagesPerSecond,
      note: `${SEGMENTS.toLocaleString('en')} segments, ${rowsPerPage.toLocaleString('en')} rows a page`,
    },
    {
      name: `Most memory of report ${name}`,
      value: run.peakBytes / MEBIBYTE,
      unit: 'MiB',
      target: { atMost: MOST_MEBIBYTES },
    },
  ]
}

/** Reads the same pages one after the other with only fetch and JSON.parse. */
async function readPagesBarely(
  address: string,
  rowsPerPage: number,
): Promise<{ pages: number; pagesPerSecond: number }> {
  const startedMs = performance.now()
  for (let page = 1; ; page += 1) {
    const response = await fetch(`${address}?_page=${page}&_limit=${rowsPerPage}`)
    const { pagination } = JSON.parse(await response.text()) as { pagination: { next: object | null } }
    if (pagination.next === null)
      return { pages: page, pagesPerSecond: (page * 1000) / (performance.now() - startedMs) }
  }
}

/** Returns the settings of a service for the command line. */
export function environmentAt(origin: string): Record<string, string> {
  return {
    SERVICE_AUTH_URL: origin,
    SERVICE_OAUTH_URL: origin,
    SERVICE_BASE_URL: origin,
    SERVICE_ANALYTICS_URL: `${origin}/v1`,
    SERVICE_CLIENT_ID: '0'.repeat(40),
    SERVICE_CLIENT_SECRET: '1'.repeat(40),
  }
}
