import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchRow } from './bench-row.ts'
import { startChild } from './child.ts'
import { runCommandLine } from './command-line.ts'
import type { Installation } from './installation.ts'

const SEGMENTS = 1_000_000
/** As the command line asks for them. */
const VIEWS_PER_PAGE = 1_000
const VIEWERS_PER_PAGE = 20
const MEBIBYTE = 2 ** 20
const MOST_MEBIBYTES = 250

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

/** Measures reports of a million segments: pages per second and peak memory of the command. */
export async function reportRows({ folder }: Installation): Promise<BenchRow[]> {
  const service = await startChild({ script: 'serve-report-pages.ts', args: [String(SEGMENTS)], folder })
  const origin = `http://127.0.0.1:${service.port}`
  const file = join(folder, 'report')
  try {
    const rows: BenchRow[] = []
    for (const { name, endpoint, args } of REPORTS) {
      const rowsPerPage = endpoint === 'views' ? VIEWS_PER_PAGE : VIEWERS_PER_PAGE
      const bare = await readPagesBarely(`${origin}/v1/${endpoint}`, rowsPerPage)
      const run = await runCommandLine(['report', ...args, file], environmentAt(origin))
      const pagesPerSecond = bare.pages / run.elapsedSeconds
      rows.push(
        {
          ...{
            name: `report ${name}: ${SEGMENTS.toLocaleString('en')} segments`,
            value: pagesPerSecond,
            unit: 'pages/s',
          },
          ...{ baseline: bare.pagesPerSecond, ratio: pagesPerSecond / bare.pagesPerSecond },
          note: `${rowsPerPage.toLocaleString('en')} rows a page`,
        },
        {
          ...{ name: `report ${name}: memory at most`, value: run.peakBytes / MEBIBYTE, unit: 'MiB' },
          target: { atMost: MOST_MEBIBYTES },
        },
      )
    }
    return rows
  } finally {
    rmSync(file, { force: true })
    await service.stop()
  }
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

function environmentAt(origin: string): Record<string, string> {
  return {
    ...{ SERVICE_AUTH_URL: origin, SERVICE_OAUTH_URL: origin, SERVICE_BASE_URL: origin },
    ...{
      SERVICE_ANALYTICS_URL: `${origin}/v1`,
      SERVICE_CLIENT_ID: '0'.repeat(40),
      SERVICE_CLIENT_SECRET: '1'.repeat(40),
    },
  }
}
