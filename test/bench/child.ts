import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Usage } from './report-usage.ts'

/** A server in a process of its own. */
export interface Child {
  readonly pid: number | undefined
  readonly port: number
  usage(): Promise<Usage>
  /** Sends SIGTERM, then SIGKILL if the process does not stop. Resolves when it has ended. */
  stop(): Promise<void>
}

export interface ChildOptions {
  /** Path relative to this folder. */
  readonly script: string
  /** Options of Node. */
  readonly flags?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The folder of the file for the output. Production also writes to a file. */
  readonly folder: string
}

const START_MS = 15_000
const STOP_MS = 10_000
let started = 0
const Started = z.object({ event: z.literal('started'), port: z.number() })

export interface Children extends AsyncDisposable {
  /** @throws Error with the output if the server does not start. */
  start(options: ChildOptions): Promise<Child>
}

/** Starts servers that are stopped at the end of the block: `await using children = openChildren()`. */
export function openChildren(): Children {
  const children: Child[] = []
  return {
    async start(options) {
      const child = await startChild(options)
      children.push(child)
      return child
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map((child) => child.stop()))
    },
  }
}

/** @throws Error with the output if the server does not start. */
export async function startChild({ script, flags = [], args = [], env = {}, folder }: ChildOptions): Promise<Child> {
  const output = join(folder, `${script.replaceAll(/[^a-z0-9]+/g, '-')}.${started++}.log`)
  const file = openSync(output, 'w')
  const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
  const allFlags = [
    ...flags,
    '--import',
    path('report-usage.ts'),
    ...(process.env.BENCH_NODE_FLAGS ?? '').split(' ').filter(Boolean),
  ]
  const child = spawn(process.execPath, [...allFlags, path(script), ...args], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
    stdio: ['ignore', file, file, 'ipc'],
  })
  closeSync(file)
  try {
    const port = await startedPort(child, output)
    return { pid: child.pid, port, usage: usageQuestions(child, output), stop: () => stopChild(child) }
  } catch (error) {
    await stopChild(child)
    throw error
  }
}

async function startedPort(child: ChildProcess, output: string): Promise<number> {
  const lastTryMs = performance.now() + START_MS
  while (child.exitCode === null && performance.now() < lastTryMs) {
    for (const line of readFileSync(output, 'utf8').split('\n').slice(0, -1)) {
      const started = Started.safeParse(parsed(line))
      if (started.success) return started.data.port
    }
    await sleep(20)
  }
  throw new Error(`A server did not start. Its output:\n${readFileSync(output, 'utf8')}`)
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

/** Several questions may be open at once. Each has a number, which its answer repeats. */
function usageQuestions(child: ChildProcess, output: string): () => Promise<Usage> {
  const waiting = new Map<number, (usage: Usage) => void>()
  let asked = 0
  child.on('message', (answer) => {
    const { question, usage } = answer as { question: number; usage: Usage }
    waiting.get(question)?.(usage)
    waiting.delete(question)
  })
  return () =>
    new Promise((resolve, reject) => {
      asked += 1
      waiting.set(asked, resolve)
      child.send(asked, (error) => {
        if (error) reject(new Error(`A server ended. Its output:\n${readFileSync(output, 'utf8').slice(-2_000)}`))
      })
    })
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await exited
  clearTimeout(kill)
}
