import type { EventWindow } from '../../../../settings/event-window.ts'
import type { EventCounts, Seen } from './event-counts.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const MOST_STEPS = 150
const STEPS_MS = [1, 2, 5, 10, 15].map((minutes) => minutes * MINUTE_MS)

/**
 * Chooses the hours around the doors, or the last two hours, and counts their sign-ins. The last event is the window of
 * doors before, or else the last day before with sign-ins at the same time of day.
 */
export function seriesOf(
  counts: Pick<EventCounts, 'signInsByStep' | 'lastSignInBefore'>,
  seen: Seen,
  windows: readonly EventWindow[],
  nowMs: number,
) {
  const current = windows.find((one) => isNear(one, nowMs))
  const opensMs = current?.opensAtSeconds == null ? null : current.opensAtSeconds * 1000
  const start =
    opensMs !== null && opensMs < nowMs + HOUR_MS
      ? Math.min(opensMs - HOUR_MS / 2, nowMs - HOUR_MS)
      : nowMs - 2 * HOUR_MS
  const from = Math.max(start, nowMs - 12 * HOUR_MS)
  const to = opensMs !== null && opensMs > nowMs ? Math.min(opensMs + HOUR_MS, nowMs + 2 * HOUR_MS) : nowMs + MINUTE_MS
  const stepMs = STEPS_MS.find((step) => (to - from) / step <= MOST_STEPS) ?? 30 * MINUTE_MS
  const fromMs = Math.floor(from / stepMs) * stepMs
  const toMs = Math.ceil(to / stepMs) * stepMs
  const signIns = (backMs: number) => counts.signInsByStep(seen, fromMs - backMs, toMs - backMs, stepMs)
  const backMs = lastEventBackMs(counts, seen, windows, { opensMs, fromMs, nowMs })
  const marks = windows.flatMap(({ opensAtSeconds, closesAtSeconds }) => [
    { seconds: opensAtSeconds, kind: 'opens' as const },
    { seconds: closesAtSeconds, kind: 'closes' as const },
  ])
  return {
    fromMs,
    stepMs,
    counts: signIns(0),
    /** The same steps of the last event. Null without one. */
    before: backMs === null ? null : { fromMs: fromMs - backMs, counts: signIns(backMs) },
    marks: marks
      .map(({ seconds, kind }) => ({ atMs: (seconds ?? Number.NaN) * 1000, kind }))
      .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs),
  }
}

function isNear({ opensAtSeconds, closesAtSeconds }: EventWindow, nowMs: number): boolean {
  const opens = (opensAtSeconds ?? 0) * 1000
  const closes = (closesAtSeconds ?? Number.POSITIVE_INFINITY) * 1000
  return opens < nowMs + 2 * HOUR_MS && closes > nowMs - 2 * HOUR_MS && opens > nowMs - DAY_MS / 2
}

/** Returns by how many milliseconds the last event was earlier. Null without an earlier event. */
function lastEventBackMs(
  counts: Pick<EventCounts, 'lastSignInBefore'>,
  seen: Seen,
  windows: readonly EventWindow[],
  { opensMs, fromMs, nowMs }: { readonly opensMs: number | null; readonly fromMs: number; readonly nowMs: number },
): number | null {
  if (opensMs !== null) {
    const earlier = windows
      .map(({ opensAtSeconds }) => (opensAtSeconds ?? Infinity) * 1000)
      .filter((ms) => ms < opensMs)
    if (earlier.length > 0) return opensMs - Math.max(...earlier)
  }
  const lastMs = counts.lastSignInBefore(seen, Math.min(fromMs, nowMs - DAY_MS / 2))
  return lastMs === null ? null : Math.ceil((fromMs - lastMs) / DAY_MS) * DAY_MS
}
