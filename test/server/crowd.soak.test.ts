import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { quantile } from '../bench/bench-row.ts'
import { startChild } from '../bench/child.ts'
import { createInstallation } from '../bench/installation.ts'
import { startProxy } from '../servers/proxy.ts'
import type { Crowd, CrowdResult } from './crowd-program.ts'

const PROGRAM = fileURLToPath(new URL('crowd-program.ts', import.meta.url))
const NEW_VIEWER_EVERY_MS = 100
const HEALTH_CHECK_EVERY_MS = 500

/** The answers to requests that each had a connection of its own. */
type Waits = Awaited<ReturnType<ReturnType<typeof askRepeatedly>['stop']>>

interface CrowdMeasure extends CrowdResult {
  readonly newViewers: Waits
  readonly healthChecks: Waits
}

/**
 * Sends the load of a crowd from a process of its own. Meanwhile opens the screen and the health check on new
 * connections, and measures how long each takes.
 */
async function measureCrowd(crowd: Crowd): Promise<CrowdMeasure> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(crowd)], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const viewers = askRepeatedly(crowd.port, '/', NEW_VIEWER_EVERY_MS)
  const checks = askRepeatedly(crowd.port, '/health/ready', HEALTH_CHECK_EVERY_MS)
  const result = JSON.parse(await text(child.stdout)) as CrowdResult
  return { ...result, newViewers: await viewers.stop(), healthChecks: await checks.stop() }
}

/** Resolves with the status of a GET on a new connection; 0 if the connection ended without an answer. */
async function getOnNewConnection(port: number, path: string): Promise<{ status: number; tookMs: number }> {
  const startedMs = performance.now()
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
  const answer = await text(socket).catch(() => '')
  return { status: Number(answer.slice(9, 12)), tookMs: performance.now() - startedMs }
}

function askRepeatedly(port: number, path: string, everyMs: number) {
  const running: ReturnType<typeof getOnNewConnection>[] = []
  const timer = setInterval(() => running.push(getOnNewConnection(port, path)), everyMs)
  return {
    /** Each request has a connection of its own, which counts. */
    async stop() {
      clearInterval(timer)
      const answers = await Promise.all(running)
      const tookMs = answers.map((answer) => Math.round(answer.tookMs))
      return {
        statuses: [...new Set(answers.map(({ status }) => status))],
        p50Ms: quantile(tookMs, 0.5),
        p95Ms: quantile(tookMs, 0.95),
        mostMs: Math.max(...tookMs),
      }
    },
  }
}

const CORES = availableParallelism()
const CROWD = { signIns: 240 * CORES, pages: 120 * CORES, slow: 1000 }
/** About fifty times as many sign-ins as the cores can check. */
const WITHOUT_PAUSES = { ...CROWD, pauseMs: 0, durationMs: 18_000 }
/** 850 sign-ins and 420 screens a second for each core: ten times as many sign-ins as fast cores can check. */
const THREE_MINUTES = { ...CROWD, pauseMs: 280, durationMs: 180_000 }
const MEBIBYTE = 2 ** 20

async function startCopies<Count extends number>(count: Count) {
  const installation = await createInstallation()
  const copies = await Promise.all(Array.from({ length: count }, () => startChild(installation.loginApp())))
  onTestFinished(async () => {
    await Promise.all(copies.map((copy) => copy.stop()))
    await installation.remove()
  })
  return copies
}

/** No viewer and no health check was refused, and 95 of 100 were answered within a second. */
function expectRoomForNewViewers(measure: CrowdMeasure): void {
  const { newViewers, healthChecks, statuses } = measure
  console.log(JSON.stringify(measure))
  expect(newViewers.statuses).toEqual([200])
  expect(newViewers.p95Ms).toBeLessThan(1000)
  expect(healthChecks.statuses).toEqual([200])
  expect(healthChecks.p95Ms).toBeLessThan(1000)
  const { '401': checked = 0, '503': refused = 0 } = statuses
  expect(checked).toBeGreaterThan(0)
  // With fewer refusals there was no overload, and the waits prove nothing.
  expect(refused).toBeGreaterThan(7 * checked)
}

async function expectNormal(port: number): Promise<void> {
  await sleep(1000)
  for (const path of ['/', '/health/ready']) {
    const { status, tookMs } = await getOnNewConnection(port, path)
    expect(status).toBe(200)
    expect(tookMs).toBeLessThan(500)
  }
}

test('new viewers and the health check find room beside connections that send without pauses', async () => {
  const [copy = expect.unreachable()] = await startCopies(1)
  expectRoomForNewViewers(await measureCrowd({ ...WITHOUT_PAUSES, port: copy.port }))
  await expectNormal(copy.port)
}, 60_000)

test('they find room behind the proxy of compose.yaml', async () => {
  const [first = expect.unreachable(), second = expect.unreachable()] = await startCopies(2)
  const proxy = await startProxy([first, second])
  expectRoomForNewViewers(await measureCrowd({ ...WITHOUT_PAUSES, port: proxy.port }))
  await expectNormal(proxy.port)
}, 60_000)

test('three minutes of ten times the load, with slow connections, take less than 250 MiB', async () => {
  const [copy = expect.unreachable()] = await startCopies(1)
  const idleBytes = (await copy.usage()).rssBytes
  let mostBytes = 0
  const sampler = setInterval(() => {
    void copy.usage().then(({ rssBytes }) => {
      mostBytes = Math.max(mostBytes, rssBytes)
    })
  }, 500)
  onTestFinished(() => clearInterval(sampler))
  expectRoomForNewViewers(await measureCrowd({ ...THREE_MINUTES, port: copy.port }))
  console.log(`From ${Math.round(idleBytes / MEBIBYTE)} to at most ${Math.round(mostBytes / MEBIBYTE)} MiB`)
  expect(mostBytes - idleBytes).toBeLessThan(250 * MEBIBYTE)
  await expectNormal(copy.port)
}, 240_000)
