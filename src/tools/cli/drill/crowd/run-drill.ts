import { z } from 'zod'
import type { CommandIo } from '../../terminal/io.ts'
import { type OperatorCommand, type PlannedCommand, runCommands } from '../operator-commands.ts'
import { browsersUntil } from './browser.ts'
import type { ExpectedResponse } from './expected-response.ts'
import type { SignInForm } from './sign-in-form.ts'
import { startTimetable } from './timetable.ts'
import { type Attempt, type PlannedVisit, playVisit, type Visit } from './visit.ts'

/** A moment that the operator and the page see. */
export interface Mark {
  /** In milliseconds since the start. */
  readonly atMs: number
  readonly words: string
  /** What this program then does. */
  readonly act?: () => void
}

/** What happens in a drill. */
export interface Course {
  /** UNIX time in milliseconds. Viewers may also come before. */
  readonly startsAtMs: number
  readonly visits: readonly PlannedVisit[]
  readonly commands: readonly PlannedCommand[]
  readonly marks: readonly Mark[]
}

export interface Drill extends Course {
  readonly url: URL
  readonly expected: ExpectedResponse
  readonly form: SignInForm
  readonly overMs: number
  readonly recoverWithinMs: number
}

/** The events of a drill. Times are in milliseconds since the start. */
export interface DrillRecord {
  /** The exception: UNIX time in milliseconds. */
  readonly startedAtMs: number
  endedMs: number
  readonly attempts: Attempt[]
  /** Those who have come. */
  readonly visits: Visit[]
  /** The settings of the stores that `/health/ready` named after an answer that spoke of a store. */
  readonly away: Set<string>
  readonly commands: readonly OperatorCommand[]
}

export interface DrillDeps {
  readonly env: CommandIo['env']
  readonly stop: AbortSignal
  /** Called once, at the start. The record grows while the drill runs. */
  readonly onStart: (record: DrillRecord, nowMs: () => number) => void
  readonly onCommand: (command: OperatorCommand) => void
  readonly onMark: (mark: Mark) => void
}

/** A viewer types for 5 s, in a short drill for a fiftieth of the ramp. */
const TYPING_MS = 5_000
const STORE_LOOK_UP_MS = 2_000
const Readiness = z.object({ away: z.array(z.string().regex(/^[A-Z_]{1,40}$/)).default([]) })
/** The last viewers may have to wait for a Retry-After of 30 s. */
const PATIENCE_MS = 60_000

/**
 * Plays all visits and runs the commands. Ends when all viewers are in or have given up, and all commands have ended.
 * After a stop, it waits for the running command only.
 * @throws the error of a mark.
 */
export async function runDrill(
  drill: Drill,
  { env, stop, onStart, onCommand, onMark }: DrillDeps,
): Promise<DrillRecord> {
  const { url, expected, form, overMs, startsAtMs } = drill
  const failure = new AbortController()
  const end = AbortSignal.any([stop, failure.signal])
  const timetable = startTimetable(end, startsAtMs)
  const open = browsersUntil(end, url.origin)
  const commands = drill.commands.map((command) => ({
    ...command,
    startedMs: null,
    endedMs: null,
    exitStatus: null,
    output: '',
  }))
  const record: DrillRecord = {
    startedAtMs: startsAtMs,
    endedMs: 0,
    attempts: [],
    visits: [],
    away: new Set(),
    commands,
  }
  onStart(record, timetable.nowMs)
  const lookForStores = storeLookUp(url.origin, record.away, timetable.nowMs)
  const play = async (plan: PlannedVisit) => {
    if (!(await timetable.until(plan.arrivesAtMs))) return
    const browser = open()
    const visit: Visit = { arrivedMs: plan.arrivesAtMs, gotInMs: null, returned: null, end: null }
    record.visits.push(visit)
    await playVisit(plan, visit, {
      viewer: plan.viewer,
      browser,
      openOther: open,
      timetable,
      url,
      expected,
      form,
      record: (attempt) => {
        record.attempts.push(attempt)
        if (attempt.reason === 'store-down') lookForStores()
      },
      typingMs: Math.min(TYPING_MS, overMs / 50),
      lastMs: overMs + PATIENCE_MS + drill.recoverWithinMs,
    })
    browser.close()
  }
  const mark = async (one: Mark) => {
    if (!(await timetable.until(one.atMs))) return
    try {
      one.act?.()
      onMark(one)
    } catch (error) {
      failure.abort(error)
    }
  }
  await Promise.all([
    ...drill.visits.map(play),
    ...drill.marks.map(mark),
    runCommands(commands, timetable, env, onCommand),
  ])
  failure.signal.throwIfAborted()
  record.endedMs = timetable.nowMs()
  return record
}

/** Returns a function that asks the app which stores are away, at most every two seconds, and adds their settings. */
function storeLookUp(origin: string, away: Set<string>, nowMs: () => number): () => void {
  let nextMs = 0
  return () => {
    if (nowMs() < nextMs) return
    nextMs = nowMs() + STORE_LOOK_UP_MS
    const read = async () => {
      const answer = await fetch(`${origin}/health/ready`, { signal: AbortSignal.timeout(STORE_LOOK_UP_MS) })
      for (const setting of Readiness.parse(await answer.json()).away) away.add(setting)
    }
    // A proxy may keep this address to itself.
    read().catch(() => {})
  }
}
