import { stepOf } from '../../../../cli/drill/verdict/moment.ts'
import type { EveningRecord } from './run-evening.ts'

/** A part of the evening. Times are in milliseconds since the start. */
export interface WaveMoment {
  readonly fromMs: number
  readonly toMs: number
  readonly arrived: number
  /** Got in for the first time. */
  readonly admitted: number
  readonly returned: number
  readonly refusedAfterEnd: number
  /** At the end of the part: those who wait for the opening, and those who got in. */
  readonly waiting: number
  readonly inside: number
}

/** Divides the whole evening. A part begins at the opening, and the first one may begin before the start. */
export function wholeWave(record: EveningRecord, opensMs: number): WaveMoment[] {
  const stepMs = stepOf(record.endedMs)
  return waveOf(record, (opensMs % stepMs) - stepMs, record.endedMs, stepMs)
}

/** Divides a time of the evening into equal parts, and counts what viewers did in each. */
export function waveOf({ visits }: EveningRecord, fromMs: number, toMs: number, stepMs: number): WaveMoment[] {
  const parts = Math.max(1, Math.ceil((toMs - fromMs) / stepMs))
  const countIn = (times: readonly (number | null | undefined)[]) => {
    const counts = Array.from({ length: parts }, () => 0)
    for (const timeMs of times) {
      const part = Math.floor(((timeMs ?? Number.NaN) - fromMs) / stepMs)
      if (counts[part] !== undefined) counts[part] += 1
    }
    return counts
  }
  const [arrived, admitted, returned, refused] = [
    countIn(visits.map(({ arrivedMs }) => arrivedMs)),
    countIn(visits.map(({ gotInMs }) => gotInMs)),
    countIn(visits.map((visit) => (visit.return?.isIn ? visit.return.atMs : null))),
    countIn(visits.map(({ afterEnd }) => (afterEnd && !afterEnd.isIn ? afterEnd.atMs : null))),
  ]
  const isBefore = (timeMs: number | null, endMs: number) => timeMs !== null && timeMs < endMs
  return Array.from({ length: parts }, (_, index) => {
    const endMs = fromMs + (index + 1) * stepMs
    const inside = visits.filter(({ gotInMs }) => isBefore(gotInMs, endMs)).length
    const held = visits.filter((visit) => isBefore(visit.waitedFromMs, endMs) && !isBefore(visit.gotInMs, endMs)).length
    return {
      fromMs: fromMs + index * stepMs,
      toMs: Math.min(endMs, toMs),
      arrived: arrived?.[index] ?? 0,
      admitted: admitted?.[index] ?? 0,
      returned: returned?.[index] ?? 0,
      refusedAfterEnd: refused?.[index] ?? 0,
      ...{ waiting: held, inside },
    }
  })
}
