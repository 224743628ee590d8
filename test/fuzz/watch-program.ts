import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import express from 'express'

/** Loaded into the program by `--import`. Tells the test what it asks for, and changes nothing in the app. */

export interface Report {
  /** The paths of all routes, without the base path of their entry point. */
  readonly routes: readonly string[]
  /** The longest time between two turns of the event loop, as Node measures it. */
  readonly longestTurnMs: number
  readonly slowTurns: readonly SlowTurn[]
  /** After a garbage collection. */
  readonly residentMegabytes: number
  readonly heapMegabytes: number
}

export interface SlowTurn {
  /** On the clock of the machine. */
  readonly beginsAtMs: number
  readonly endsAtMs: number
  /** Its length without the time in which the thread could have run, but all processors ran others. */
  readonly blockMs: number
  /** How long the thread ran. The rest of a block is a wait, such as for a disk. */
  readonly processorMs: number
}

const TURN_MS = 10
const SLOW_MS = 50
/** Enough for a machine that stalls all the time. */
const MOST_SLOW_TURNS = 10_000

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const routes = new Set<string>()
const prototype = express.Router.prototype as { route: (path: unknown) => unknown }
const { route } = prototype
prototype.route = function addRoute(this: unknown, path: unknown) {
  for (const one of [path].flat()) routes.add(String(one))
  return Reflect.apply(route, this, [path])
}

const delay = monitorEventLoopDelay({ resolution: TURN_MS })
let longestTurnMs = 0
let slowTurns: SlowTurn[] = []
let last = now()
setInterval(() => {
  const turn = now()
  const blockMs = turn.atMs - last.atMs - (turn.waitedMs - last.waitedMs)
  if (blockMs > SLOW_MS && slowTurns.length < MOST_SLOW_TURNS) {
    const processorMs = turn.processorMs - last.processorMs
    slowTurns.push({ beginsAtMs: last.atMs, endsAtMs: turn.atMs, blockMs, processorMs })
  }
  last = turn
}, TURN_MS).unref()

/** Returns the time, and how long this thread could have run while all processors ran others, since its start. */
function now() {
  const { user, system } = process.threadCpuUsage()
  const processorMs = (user + system) / 1000
  return {
    processorMs,
    atMs: performance.timeOrigin + performance.now(),
    waitedMs: Number(readSchedule().split(' ')[1] ?? 0) / 1e6,
  }
}

/** Linux alone knows. */
function readSchedule(): string {
  try {
    return readFileSync('/proc/self/schedstat', 'utf8')
  } catch {
    return ''
  }
}

/** Measures from now on. */
function measure(): void {
  delay.reset()
  delay.enable()
  last = now()
}

function report(): Report {
  longestTurnMs = Math.max(longestTurnMs, delay.max / 1e6)
  // The collection is not a block of the app.
  delay.disable()
  collectGarbage()
  const { rss, heapUsed, external } = process.memoryUsage()
  const megabytes = { residentMegabytes: rss / 1e6, heapMegabytes: (heapUsed + external) / 1e6 }
  measure()
  return { routes: [...routes], longestTurnMs, slowTurns, ...megabytes }
}

process.on('message', (message) => {
  if (message === 'report') return void process.send?.(report())
  slowTurns = []
  measure()
})
process.channel?.unref()
