import type { Axis } from 'vega'
import type { TimeRange } from './chart.ts'

/** From the axis above a chart to its first row. */
const AXIS_GAP_PIXELS = 6
/** A label has its mark in its middle. Nearer to an end of the axis, it would leave the drawing. */
const LABEL_REACH_PIXELS = 30
/** On a phone, two marks of a month would be one at the start of the next month. */
const FEWEST_TICKS = 3
/** vega marks months instead of weeks above this distance, the geometric mean of 7 and 30 days. */
const LONGEST_DAY_STEP_MS = Math.sqrt(7 * 30) * 86_400_000
/** With a change of the clocks. */
const SHORTEST_DAY_MS = 22.9 * 3_600_000
const SHORTEST_MONTH_MS = 27.9 * 86_400_000
const MONTHS = { year: '%Y', quarter: '%b %Y', month: '%b %Y' }
/** Between days, the first of a month is a day as well: "1 Nov" after "29 Oct". */
const DAYS = { year: '%-d %b %Y', quarter: '%-d %b', month: '%-d %b' }
const CLOCK_24_HOURS = {
  week: '%-d %b',
  date: '%-d %b',
  day: '%-d %b',
  hours: '%H:%M',
  minutes: '%H:%M',
  seconds: '%H:%M:%S',
  milliseconds: '%H:%M:%S',
}

/** Uses the time zone of this machine. */
export function timeScale({ fromMs, toMs }: TimeRange) {
  return { name: 'x', type: 'time' as const, domain: [fromMs, toMs], range: 'width' as const }
}

interface AxisOptions {
  readonly range: TimeRange
  readonly plotPixels: number
  readonly orient?: 'top' | 'bottom'
  /** Length of a column: an axis of days has no hours. */
  readonly stepMs?: number
}

export function timeAxis({ range, plotPixels, orient = 'bottom', stepMs = 0 }: AxisOptions): Axis {
  const most = Math.max(FEWEST_TICKS, Math.floor(plotPixels / 110))
  const ticksMs = (range.toMs - range.fromMs) / most
  const unit = ticksMs >= stepMs ? null : stepMs > SHORTEST_MONTH_MS ? 'month' : stepMs > SHORTEST_DAY_MS ? 'day' : null
  const tickCount = unit ?? most
  const dates = unit === 'month' || ticksMs > LONGEST_DAY_STEP_MS ? MONTHS : DAYS
  return {
    ...{ scale: 'x', orient, offset: orient === 'top' ? AXIS_GAP_PIXELS : 0, tickCount, tickSize: 5 },
    ...{ format: { ...dates, ...CLOCK_24_HOURS }, formatType: 'time', labelFlush: LABEL_REACH_PIXELS, labelBound: 2 },
    labelOverlap: 'greedy',
  }
}
