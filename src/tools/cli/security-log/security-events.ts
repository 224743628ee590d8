import { z } from 'zod'
import { jsonIn } from '../../../json-text.ts'
import { usernameKey } from '../../../users/viewer-fields.ts'

export interface EventFilter {
  /** UNIX times in milliseconds, without the end. An end can be infinite. Null for all time. */
  readonly period: { readonly fromMs: number; readonly toMs: number } | null
  /** In any case. Undefined for all viewers. */
  readonly viewer: string | undefined
  /** Empty for all outcomes. */
  readonly outcomes: readonly string[]
}

/** Counts of the lines that were read. */
export interface Reading {
  /** Lines that are not security lines of the login app. */
  skipped: number
  /** Lines that the app could not write, according to the log itself. */
  lost: number
  /** Requests in the period whose line has no viewer, because it is a sum. Counted only with a viewer as filter. */
  unnamed: number
  readonly outcomes: Set<string>
}

const Text = z.string().optional()
const TextOrNull = Text.transform((text) => text ?? null)
const Line = z
  .object({
    category: z.literal('security'),
    /** In UTC. */
    time: z.iso.datetime(),
    /** `sign-in`, `account` or `session-ended`. */
    event: z.string(),
    outcome: Text,
    /** As typed, if no viewer signed in. Null for a line that sums up several requests. */
    viewer: TextOrNull,
    address: TextOrNull,
    entryPoint: TextOrNull,
    /** Browser and system of a sign-in. */
    device: TextOrNull,
    reason: Text,
    /** The code of the access policy for its refusal. */
    code: TextOrNull,
    status: z
      .number()
      .optional()
      .transform((status) => status ?? null),
    more: z.number().default(1),
    requestId: TextOrNull,
    /** The issuer and the subject: the identity of a viewer who is not in the user store. */
    issuer: TextOrNull,
    subject: TextOrNull,
    limit: Text,
    attribute: Text,
    err: z.looseObject({ message: Text }).optional(),
  })
  .transform(({ category: _category, limit, attribute, err, more, ...line }) => ({
    ...line,
    /** The outcome of the request. For an event without an outcome, its name. */
    outcome: line.outcome ?? line.event,
    /** Why the request was refused: a reason, a limit or an attribute. */
    reason: line.reason ?? limit ?? attribute ?? err?.message ?? null,
    /** The number of requests that the line stands for. */
    count: more,
  }))

/** One line of the security log, with the same fields for every event. */
export type SecurityEvent = Readonly<z.output<typeof Line>>

const LostLines = z.object({ event: z.literal('log-lines-dropped'), time: z.iso.datetime(), count: z.number() })

export function startReading(): Reading {
  return { skipped: 0, lost: 0, unnamed: 0, outcomes: new Set() }
}

/**
 * Reads batches of lines of the security log, or of the whole log, and yields the events that match. Text before the
 * first brace is ignored, such as the name of a container.
 * @param reading is updated.
 */
export async function* securityEvents(
  batches: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  { period = null, viewer, outcomes = [] }: Partial<EventFilter>,
  reading = startReading(),
): AsyncGenerator<SecurityEvent> {
  const key = viewer === undefined ? null : usernameKey(viewer)
  const isInPeriod = (time: string) =>
    period === null || (Date.parse(time) >= period.fromMs && Date.parse(time) < period.toMs)
  for await (const lines of batches) {
    for (const line of lines) {
      const event = readLine(line, reading, isInPeriod)
      if (event === null || !isInPeriod(event.time)) continue
      if (outcomes.length > 0 && !outcomes.includes(event.outcome)) continue
      if (key !== null && event.viewer === null) reading.unnamed += event.count
      if (key === null || (event.viewer !== null && usernameKey(event.viewer) === key)) yield event
    }
  }
}

function readLine(line: string, reading: Reading, isInPeriod: (time: string) => boolean): SecurityEvent | null {
  if (line.trim() === '') return null
  // Parsing all lines of a log would take twice the time.
  const isCandidate = line.includes('"category":"security"') || line.includes('"log-lines-dropped"')
  const json = isCandidate ? jsonIn(line.slice(line.indexOf('{'))) : undefined
  const parsed = Line.safeParse(json)
  if (parsed.success) {
    reading.outcomes.add(parsed.data.outcome)
    return parsed.data
  }
  const lost = LostLines.safeParse(json)
  if (!lost.success) reading.skipped += 1
  else if (isInPeriod(lost.data.time)) reading.lost += lost.data.count
  return null
}
