import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { KINDS, type Kind, NORMAL, type Visitor, visit } from './visit.ts'

/** One request and its outcome. */
export interface Sample {
  readonly kind: Kind
  readonly outcome: string
  readonly retryAfterSeconds: number | null
  readonly cookie: string | null
  /** On the clock of `performance.now()`. */
  readonly startedMs: number
  readonly tookMs: number
}

/** Five requests of each kind a second. */
const EVERY_MS = 200
const NORMAL_IN_A_ROW = 8
/** A slower answer is not normal. The rest is for a busy machine. */
const SLOW_MS = 2_000
const GIVE_UP_MS = 30_000

/** Sends requests of every kind at a steady pace, whether or not they are answered. */
export function startTrickle(port: number, visitors: readonly Visitor[]) {
  const samples: Sample[] = []
  const running = new Map<object, number>()

  async function send(kind: Kind, visitor: Visitor): Promise<void> {
    const startedMs = performance.now()
    const token = {}
    running.set(token, startedMs)
    const answer = await visit(port, kind, visitor)
    running.delete(token)
    samples.push({ ...answer, kind, startedMs, tookMs: performance.now() - startedMs })
  }
  const timers = KINDS.map((kind) => {
    let count = 0
    return setInterval(() => {
      const visitor = visitors[count % visitors.length]
      count += 1
      if (visitor === undefined) return
      // A new address for each guess: guessing is limited, but this is not a test of the limits.
      void send(kind, kind === 'wrong password' ? { ...visitor, address: anyAddress() } : visitor)
    }, EVERY_MS)
  })
  function isCalm(sinceMs: number): boolean {
    const noneWaits = [...running.values()].every((startedMs) => performance.now() - startedMs < SLOW_MS)
    return noneWaits && KINDS.every((kind) => normalAfter(samples, kind, sinceMs) >= NORMAL_IN_A_ROW)
  }
  return {
    samples: samples as readonly Sample[],
    /**
     * Resolves once every kind has been normal again and again.
     * @returns milliseconds from `sinceMs` to the start of the last request that was not normal; 0 if there was none.
     */
    async untilNormal(sinceMs: number) {
      const giveUpMs = performance.now() + GIVE_UP_MS
      while (!isCalm(sinceMs)) {
        if (performance.now() > giveUpMs) throw new Error(`Not normal after 30 s: ${describeLast(samples)}`)
        await sleep(50)
      }
      const late = samples.filter((sample) => !isNormal(sample)).map(({ startedMs }) => startedMs - sinceMs)
      return Math.max(0, ...late)
    },
    /** Resolves when all requests are answered. */
    async stop() {
      for (const timer of timers) clearInterval(timer)
      while (running.size > 0) await sleep(20)
    },
  }
}

/** Returns any address of this machine that no visitor has. */
function anyAddress(): string {
  return `127.${randomInt(100, 255)}.${randomInt(256)}.${randomInt(1, 255)}`
}

function isNormal({ kind, outcome, tookMs }: Sample): boolean {
  return outcome === NORMAL[kind] && tookMs < SLOW_MS
}

/** Counts the requests of a kind since the last one that was not normal. */
function normalAfter(samples: readonly Sample[], kind: Kind, sinceMs: number): number {
  const ours = samples.filter((sample) => sample.kind === kind && sample.startedMs >= sinceMs)
  const lastMs = Math.max(0, ...ours.filter((sample) => !isNormal(sample)).map(({ startedMs }) => startedMs))
  return ours.filter(({ startedMs }) => startedMs > lastMs).length
}

function describeLast(samples: readonly Sample[]): string {
  return KINDS.map((kind) => `${kind}: ${samples.findLast((sample) => sample.kind === kind)?.outcome}`).join(', ')
}
