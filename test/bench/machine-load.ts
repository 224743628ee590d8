import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

const SAMPLE_MS = 2_000
/** The kernel counts in hundredths of a second. */
const TICK_MS = 10

/** Returns the share of all cores, 0 to 1, that other programs have used since the meter was started. */
export type Meter = () => number

/** Returns the share of all cores that other programs use, while this program waits. */
export async function othersLoad(): Promise<number> {
  const meter = startMeter()
  await sleep(SAMPLE_MS)
  return meter()
}

/** Starts a meter. The servers that this program starts are not other programs. Without /proc, they count as such. */
export function startMeter(): Meter {
  const startedMs = performance.now()
  const before = busyMs() - ownMs()
  return () => {
    const cores = (performance.now() - startedMs) * availableParallelism()
    return Math.min(1, Math.max(0, (busyMs() - ownMs() - before) / cores))
  }
}

/** The time in which a core of this machine was busy, of all cores together. */
function busyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
}

/** The CPU time of this process and its descendants, of ended ones too. */
function ownMs(): number {
  const processes = new Map<number, { parent: number; ticks: number }>()
  if (!existsSync('/proc/self/stat')) return process.cpuUsage().user / 1000
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    const read = statOf(name)
    if (read !== null) processes.set(Number(name), read)
  }
  const isOwn = (pid: number): boolean => {
    if (pid === process.pid) return true
    const parent = processes.get(pid)?.parent
    return parent !== undefined && parent !== 0 && isOwn(parent)
  }
  const own = [...processes].filter(([pid]) => isOwn(pid))
  return own.reduce((sum, [, { ticks }]) => sum + ticks, 0) * TICK_MS
}

/** Reads the parent of a process, and its ticks with those of its ended children (proc(5), stat). Null if it has ended. */
function statOf(pid: string): { parent: number; ticks: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may have spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [, parent, , , , , , , , , , user, system, endedUser, endedSystem] = fields.map(Number)
    const ticks = [user, system, endedUser, endedSystem].reduce<number>((sum, one) => sum + (one ?? 0), 0)
    return { parent: parent ?? 0, ticks }
  } catch {
    return null
  }
}
