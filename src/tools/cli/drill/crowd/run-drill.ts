import { z } from 'zod'
import type { CommandIo } from '../../terminal/io.ts'
import { type OperatorCommand, type PlannedCommand, runCommands } from '../operator-commands.ts'
import { browsersUntil, codeOf, openBrowser } from './browser.ts'
import type { ExpectedResponse } from './expected-response.ts'
import { type Judgment, judge } from './judge.ts'
import type { PlannedVisit } from './plan.ts'
import type { SignInForm } from './sign-in-form.ts'
import { startTimetable } from './timetable.ts'
import { type Attempt, playVisit, type VisitEnd } from './visit.ts'

export interface Drill {
  readonly url: URL
  readonly visits: readonly PlannedVisit[]
  readonly commands: readonly PlannedCommand[]
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
  /** Viewers who signed in. */
  signedIn: number
  readonly ends: VisitEnd[]
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
 */
export async function runDrill(drill: Drill, { env, stop, onStart, onCommand }: DrillDeps): Promise<DrillRecord> {
  const timetable = startTimetable(stop)
  const open = browsersUntil(stop, drill.url.origin)
  const commands = drill.commands.map((command) => ({
    ...command,
    startedMs: null,
    endedMs: null,
    exitStatus: null,
    output: '',
  }))
  const record: DrillRecord = {
    startedAtMs: Date.now(),
    endedMs: 0,
    attempts: [],
    signedIn: 0,
    ends: [],
    away: new Set(),
    commands,
  }
  onStart(record, timetable.nowMs)
  const lookForStores = storeLookUp(drill.url.origin, record.away, timetable.nowMs)
  const play = async (visit: PlannedVisit) => {
    if (!(await timetable.until(visit.arrivesAtMs))) return
    const browser = open()
    const { url, expected, form, overMs } = drill
    const end = await playVisit(visit, {
      browser,
      timetable,
      url,
      expected,
      form,
      record: (attempt) => {
        record.attempts.push(attempt)
        if (attempt.reason === 'store-down') lookForStores()
      },
      onSignedIn: () => {
        record.signedIn += 1
      },
      typingMs: Math.min(TYPING_MS, overMs / 50),
      lastMs: overMs + PATIENCE_MS + drill.recoverWithinMs,
    })
    browser.close()
    record.ends.push(end)
  }
  await Promise.all([...drill.visits.map(play), runCommands(commands, timetable, env, onCommand)])
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

/** Opens the screen once, before the drill. */
export async function tryScreen(url: URL, expected: ExpectedResponse): Promise<Judgment> {
  const browser = openBrowser(url.origin)
  try {
    return judge('screen', await browser.open(url.pathname + url.search, false), '', expected, Date.now() / 1000)
  } catch (error) {
    return { outcome: 'unanswered', fault: codeOf(error) }
  } finally {
    browser.close()
  }
}
