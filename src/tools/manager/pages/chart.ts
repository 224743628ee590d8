import type { Series } from '../../cli/manager/evening/series.ts'
import type { Words } from './words.ts'

const WIDTH = 900
const HEIGHT = 240
const LEFT = 44
const TOP = 22
const BOTTOM = 24
const PLOT_WIDTH = WIDTH - LEFT - 8
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM
const TIME_LABELS = 8
const HOUR_MS = 3_600_000
const LABELS_MS = [15, 30, 60].map((minutes) => minutes * 60_000)
const VALUE_LABELS = 3

/** Returns round numbers from 0 up to at least the largest value. */
function scaleOf(most: number): number[] {
  const rough = Math.max(most, VALUE_LABELS) / VALUE_LABELS
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough)
  return Array.from({ length: VALUE_LABELS + 1 }, (_, index) => index * step)
}

/**
 * Returns the positions for the template `chart`: bars for this event, a line for the last one, marks for the doors. The
 * page is the same without a script. Has no text of viewers.
 */
export function chartOf({ fromMs, stepMs, counts, before, marks }: Series, words: Words) {
  const values = scaleOf(Math.max(...counts, ...(before?.counts ?? [])))
  const highest = values.at(-1) ?? 1
  const x = (index: number) => round(LEFT + (index / counts.length) * PLOT_WIDTH)
  const y = (count: number) => round(TOP + PLOT_HEIGHT * (1 - count / highest))
  const timeX = (ms: number) => x((ms - fromMs) / stepMs)
  const bottom = TOP + PLOT_HEIGHT
  const everyMs = LABELS_MS.find((ms) => (counts.length * stepMs) / ms <= TIME_LABELS) ?? 2 * HOUR_MS
  const firstMs = Math.ceil(fromMs / everyMs) * everyMs
  const labels = Array.from({ length: TIME_LABELS + 1 }, (_, index) => firstMs + index * everyMs)
  return {
    width: WIDTH,
    height: HEIGHT,
    left: LEFT,
    top: TOP,
    bottom,
    barWidth: round(Math.max(1, PLOT_WIDTH / counts.length - 0.75)),
    scale: values.map((value) => ({ y: y(value), text: words.number(value) })),
    bars: counts.map((count, index) => ({ x: x(index), y: y(count), height: round(bottom - y(count)) })),
    before: before?.counts.map((count, index) => `${x(index + 0.5)},${y(count)}`).join(' ') ?? null,
    marks: marks.map(({ atMs, kind }) => ({ x: timeX(atMs), text: words.t.evening[kind] })),
    times: labels
      .filter((ms) => ms < fromMs + counts.length * stepMs)
      .map((ms) => ({ x: timeX(ms), text: words.clock(ms) })),
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
