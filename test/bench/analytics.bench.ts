import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type BenchPart, type BenchRun, inRounds } from './bench-part.ts'
import { type BenchRow, measured } from './bench-row.ts'
import { basicCredential, type EmulatedService, hasEmulator, startEmulatedService } from './emulated-service.ts'

const SEGMENTS = 250_000
const ROUNDS = 5
const FIRST_PAGE_MS = 500
const SAMPLE_MEMORY_EVERY_MS = 50
const UNREAD_MS = 3_000
const MEBIBYTE = 2 ** 20
const DIMENSIONS = ['month', 'day', 'hour', 'location', 'device', 'view-source']

/** Every endpoint of the analytics document, with every dimension. */
const PATHS: readonly string[] = [
  ...['viewers', 'views'].flatMap((list) => [`/${list}`, `/${list}/live`, `/${list}/recorded`]),
  ...['total-views', 'unique-devices', 'authenticated-viewers'].flatMap((metric) => [
    ...['', '/live', '/recorded'].map((type) => `/${metric}${type}/summary`),
    ...DIMENSIONS.flatMap((dimension) => [`/${metric}/${dimension}`, `/${metric}/recorded/${dimension}`]),
  ]),
  ...['', '/live', '/recorded', '?granularity=hour'].map((rest) => `/peak-viewer-numbers${rest}`),
]

interface Service {
  readonly pid: number
  readonly startedInSeconds: number
  /** Sends a GET below /v1 for the whole time of the segments. @throws Error if the answer is not 200. */
  open(path: string): Promise<IncomingMessage>
  stop(): Promise<void>
}

/**
 * Measures the first page of every endpoint of a service with 250,000 segments, and the memory for a large page. The
 * request comes from the owner of most segments, and its range holds all of them. No rows without the emulator.
 */
export const analytics: BenchPart = {
  name: 'analytics',
  expectedSeconds: 25,
  async *rows(run) {
    if (!hasEmulator()) return
    const folder = await mkdtemp(join(tmpdir(), 'analytics-bench-'))
    try {
      run.progress(`Generating ${SEGMENTS.toLocaleString('en')} segments`)
      const service = await startService(folder)
      try {
        yield {
          name: `Analytics: ${SEGMENTS.toLocaleString('en')} segments generated`,
          value: service.startedInSeconds,
          unit: 's',
          note: 'from the start of the program until it listens',
        }
        yield await slowestPageRow(run, service)
        yield await memoryRow(service)
      } finally {
        await service.stop()
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  },
}

async function slowestPageRow(run: BenchRun, service: Service): Promise<BenchRow> {
  const rounds = await inRounds(ROUNDS, run, 'Analytics: first pages', async () => {
    const millisOf = new Map<string, number>()
    for (const path of PATHS) {
      const startedAtMs = performance.now()
      await bytesOf(await service.open(path))
      millisOf.set(path, performance.now() - startedAtMs)
    }
    return millisOf
  })
  const figureOf = (path: string) => measured(rounds, (millisOf) => millisOf.get(path) ?? 0)
  const slowest = PATHS.reduce((a, b) => (figureOf(a).value >= figureOf(b).value ? a : b))
  return {
    name: `Analytics: slowest first page of ${PATHS.length} paths`,
    unit: 'ms',
    ...figureOf(slowest),
    target: { atMost: FIRST_PAGE_MS },
    note: slowest,
  }
}

/**
 * Measures the memory for a page of 10,000 viewers with all of their segments. The client reads nothing at first, so
 * that a buffered page shows in the memory of the service. Mapped pages of files do not count.
 */
async function memoryRow(service: Service): Promise<BenchRow> {
  const before = anonymousBytes(service.pid)
  const response = await service.open('/viewers?_limit=10000')
  let most = before
  const untilMs = performance.now() + UNREAD_MS
  while (performance.now() < untilMs) {
    most = Math.max(most, anonymousBytes(service.pid))
    await sleep(SAMPLE_MEMORY_EVERY_MS)
  }
  const bytes = await bytesOf(response)
  return {
    name: 'Analytics: memory taken by an unread page of 10,000 viewers',
    value: (most - before) / MEBIBYTE,
    unit: 'MiB',
    baseline: bytes / MEBIBYTE,
    ratio: (most - before) / bytes,
    target: { atMost: 0.5 },
    note: 'against the size of the page',
  }
}

function anonymousBytes(pid: number): number {
  const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kibibytes) * 1_024
}

async function startService(folder: string): Promise<Service> {
  const startedAtMs = performance.now()
  const service = await startEmulatedService(folder, '--seed-views', String(SEGMENTS))
  try {
    const authorization = await analyticsToken(service)
    return {
      pid: service.pid,
      startedInSeconds: (performance.now() - startedAtMs) / 1_000,
      open: (path) => openReport(`${service.url}/v1${path}`, authorization),
      stop: service.stop,
    }
  } catch (error) {
    await service.stop()
    throw error
  }
}

async function analyticsToken({ url, client }: EmulatedService): Promise<string> {
  const response = await fetch(`${url}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: basicCredential(client) },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.client_id,
      token_type: 'jwt',
    }),
  })
  return z.object({ access_token: z.string() }).parse(await response.json()).access_token
}

async function openReport(address: string, authorization: string): Promise<IncomingMessage> {
  const url = new URL(address)
  url.searchParams.set('date_time_from', '2000-01-01T00:00:00Z')
  url.searchParams.set('date_time_to', '2100-01-01T00:00:00Z')
  const [response] = (await once(get(url, { headers: { authorization } }), 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`${url.pathname}: ${response.statusCode}`)
  return response
}

async function bytesOf(response: IncomingMessage): Promise<number> {
  let bytes = 0
  for await (const chunk of response) bytes += chunk.length
  return bytes
}
