import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { quantile } from '../bench/bench-row.ts'
import type { Crowd, CrowdResult } from './crowd-program.ts'

const PROGRAM = fileURLToPath(new URL('crowd-program.ts', import.meta.url))
const NEW_VIEWER_EVERY_MS = 100
const HEALTH_CHECK_EVERY_MS = 500

/** The answers to requests that each had a connection of its own. */
type Waits = Awaited<ReturnType<ReturnType<typeof askRepeatedly>['stop']>>

export interface CrowdMeasure extends CrowdResult {
  readonly newViewers: Waits
  readonly healthChecks: Waits
}

/**
 * Sends the load of a crowd from a process of its own. Meanwhile opens the screen and the health check on new
 * connections, and measures how long each takes.
 */
export async function measureCrowd(crowd: Crowd): Promise<CrowdMeasure> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(crowd)], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const viewers = askRepeatedly(crowd.port, '/', NEW_VIEWER_EVERY_MS)
  const checks = askRepeatedly(crowd.port, '/health/ready', HEALTH_CHECK_EVERY_MS)
  const result = JSON.parse(await text(child.stdout)) as CrowdResult
  return { ...result, newViewers: await viewers.stop(), healthChecks: await checks.stop() }
}

/** Resolves with the status of a GET on a new connection; 0 if the connection ended without an answer. */
export async function getOnNewConnection(port: number, path: string): Promise<{ status: number; tookMs: number }> {
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
