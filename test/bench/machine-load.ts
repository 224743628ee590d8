import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'

const SAMPLE_MS = 500

/** Returns the busy share of all cores, 0 to 1, while this program waits. */
export async function machineLoad(): Promise<number> {
  const before = cpuTimes()
  await sleep(SAMPLE_MS)
  const after = cpuTimes()
  return 1 - (after.idle - before.idle) / Math.max(1, after.total - before.total)
}

function cpuTimes(): { idle: number; total: number } {
  let idle = 0
  let total = 0
  for (const { times } of cpus()) {
    idle += times.idle
    total += Object.values(times).reduce((sum, time) => sum + time, 0)
  }
  return { idle, total }
}
