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
 * Draws the sign-ins by step as SVG: bars for this event, a line for the last one, marks for the doors. Drawn here, so that
 * the page is the same without a script. Has no text of viewers.
 */
export function chartOf({ fromMs, stepMs, counts, before, marks }: Series, words: Words): string {
  const scale = scaleOf(Math.max(...counts, ...(before?.counts ?? [])))
  const top = scale.at(-1) ?? 1
  const x = (index: number) => round(LEFT + (index / counts.length) * PLOT_WIDTH)
  const y = (count: number) => round(TOP + PLOT_HEIGHT * (1 - count / top))
  const timeX = (ms: number) => x((ms - fromMs) / stepMs)
  const lines = scale.map(
    (value) =>
      `<line class="axis" x1="${LEFT}" x2="${WIDTH - 8}" y1="${y(value)}" y2="${y(value)}"/>` +
      `<text x="${LEFT - 8}" y="${y(value) + 4}" text-anchor="end">${words.number(value)}</text>`,
  )
  const bars = counts.map((count, index) =>
    count === 0
      ? ''
      : `<rect class="bar" x="${x(index)}" width="${round(Math.max(1, PLOT_WIDTH / counts.length - 0.75))}" y="${y(count)}" height="${round(TOP + PLOT_HEIGHT - y(count))}"/>`,
  )
  const everyMs = LABELS_MS.find((ms) => (counts.length * stepMs) / ms <= TIME_LABELS) ?? 2 * HOUR_MS
  const firstMs = Math.ceil(fromMs / everyMs) * everyMs
  const labels = Array.from({ length: TIME_LABELS + 1 }, (_, index) => firstMs + index * everyMs)
  const times = labels
    .filter((ms) => ms < fromMs + counts.length * stepMs)
    .map((ms) => `<text x="${timeX(ms)}" y="${HEIGHT - 6}">${words.clock(ms)}</text>`)
  const line =
    before === null
      ? ''
      : `<polyline class="before" points="${before.counts.map((count, index) => `${x(index + 0.5)},${y(count)}`).join(' ')}"/>`
  const doors = marks.map(
    ({ atMs, kind }) =>
      `<line class="mark" x1="${timeX(atMs)}" x2="${timeX(atMs)}" y1="${TOP - 6}" y2="${TOP + PLOT_HEIGHT}"/>` +
      `<text x="${timeX(atMs) + 4}" y="${TOP - 8}">${words.t.evening[kind]}</text>`,
  )
  const parts = [...lines, ...bars, line, ...doors, ...times].join('')
  return `<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true" focusable="false">${parts}</svg>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
