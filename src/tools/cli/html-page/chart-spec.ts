import type { Config, Mark, Spec } from 'vega'
import type { Chart, ColumnsChart, Point, RowsChart, Span, TimeRange } from './chart.ts'
import { mostOf, ROW_PIXELS } from './chart-parts.ts'
import { fitText, textWidth } from './fit-text.ts'
import { timeAxis, timeScale } from './time-axis.ts'

const TEXT_PIXELS = 13
const AXIS_TEXT_PIXELS = 12
/** From the top of a row to the baseline of its name, and to its drawing. */
const NAME_BASELINE_PIXELS = 13
const BODY_TOP_PIXELS = 18
const ROW_GAP_PIXELS = 14
const COLUMNS_HEIGHT_PIXELS = 230
/** With more columns, there are no gaps. */
const MOST_SEPARATE_COLUMNS = 100
const WIDEST_COLUMN_PIXELS = 72
/** Keeps a minute visible in a drawing of a month. */
const THINNEST_PIXELS = 1.5
const PADDING = { left: 1, right: 1, top: 2, bottom: 4 }
const AXIS_PIXELS = { top: 30, bottom: 24 }
/** Variables of page.css, which has other values for dark mode. */
const LAYER_COLORS = ['var(--live)', 'var(--recorded)']
const LINE_PIXELS = 2

interface Box {
  readonly x1: number
  readonly x2: number
  readonly y1: number
  readonly y2: number
  readonly fill: string
}
interface Line {
  readonly text: string
  readonly y: number
}

/** Returns the vega specification of a chart. Computes all sizes, because vega has no font to measure with. */
export function chartSpec(chart: Chart, widthPixels: number): Spec {
  return chart.kind === 'columns' ? columnsSpec(chart, widthPixels) : rowsSpec(chart, widthPixels)
}

function columnsSpec({ range, points, unit, line }: ColumnsChart, widthPixels: number): Spec {
  const most = Math.max(0, ...points.map(({ values }) => sum(values)))
  const isWhole = most >= 4 || points.every(({ values }) => values.every(Number.isInteger))
  const top = most === 0 ? 1 : most
  const labelPixels = Math.ceil(textWidth(numberLabel(top, top), AXIS_TEXT_PIXELS)) + 12
  const left = Math.min(Math.max(labelPixels, 34), widthPixels / 3)
  const plotPixels = widthPixels - left - 16
  const gap = points.length > MOST_SEPARATE_COLUMNS ? 0 : 0.2
  const boxes = columnBoxes(points, range, plotPixels, gap)
  return {
    ...frame(plotPixels, COLUMNS_HEIGHT_PIXELS, {
      left,
      right: 16,
      top: 26,
      bottom: AXIS_PIXELS.bottom + PADDING.bottom,
    }),
    data: [
      { name: 'boxes', values: boxes },
      { name: 'line', values: lineSteps(line, points, range, plotPixels) },
      { name: 'unit', values: [{ text: fitText(unit, widthPixels - 16, AXIS_TEXT_PIXELS) }] },
    ],
    scales: [timeScale(range), { name: 'y', type: 'linear', domain: [0, top], nice: 4, range: 'height' }],
    axes: [
      {
        ...{ scale: 'y', orient: 'left', grid: true, domain: false, ticks: false, tickCount: 4 },
        ...(isWhole ? { tickMinStep: 1 } : {}),
        format: isWhole ? ',.0f' : '~g',
      },
      timeAxis({ range, plotPixels, stepMs: Math.max(0, ...points.map(({ fromMs, toMs }) => toMs - fromMs)) }),
    ],
    marks: [
      {
        type: 'text',
        from: { data: 'unit' },
        encode: {
          enter: {
            ...{ x: { value: -left + 1 }, y: { value: -12 }, text: { field: 'text' }, fill: { value: 'var(--soft)' } },
            fontSize: { value: AXIS_TEXT_PIXELS },
          },
        },
      },
      boxesMark('scale'),
      // The wider line below keeps the line visible on columns of any colour.
      lineMark('var(--paper)', 2 * LINE_PIXELS),
      lineMark('var(--ink)', LINE_PIXELS),
    ],
  }
}

/** A step for each point, as wide as its part of the period. Steps that would only thicken the axis are left out. */
function lineSteps(line: ColumnsChart['line'], points: readonly Point[], range: TimeRange, plotPixels: number) {
  const pixels = plotPixels / (range.toMs - range.fromMs)
  const least = LINE_PIXELS / COLUMNS_HEIGHT_PIXELS
  const top = Math.max(...points.map(({ values }) => sum(values)))
  return points.flatMap(({ fromMs, toMs }, index) => {
    const y = line?.values[index] ?? 0
    const [x1, x2] = [Math.max(0, fromMs - range.fromMs) * pixels, (Math.min(toMs, range.toMs) - range.fromMs) * pixels]
    return y > top * least ? [{ x1, x2, y }] : []
  })
}

function columnBoxes(points: readonly Point[], range: TimeRange, plotPixels: number, gap: number): Box[] {
  const pixels = plotPixels / (range.toMs - range.fromMs)
  const widest = gap === 0 ? plotPixels : WIDEST_COLUMN_PIXELS
  return points.flatMap(({ fromMs, toMs, values }) => {
    const [left, right] = [
      Math.max(0, fromMs - range.fromMs) * pixels,
      Math.min(plotPixels, (toMs - range.fromMs) * pixels),
    ]
    const width = Math.max(THINNEST_PIXELS / 2, Math.min(widest, (right - left) * (1 - gap)))
    const x1 = (left + right - width) / 2
    let y2 = 0
    return values.flatMap((value, layer) => {
      const box = { x1, x2: x1 + width, y1: y2 + value, y2, fill: LAYER_COLORS[layer] ?? 'var(--ink)' }
      y2 += value
      return value > 0 ? [box] : []
    })
  })
}

/** Each row has a line of text with its drawing below, which leaves room for long names. */
function rowsSpec(chart: RowsChart, widthPixels: number): Spec {
  const plotPixels = widthPixels - PADDING.left - PADDING.right
  const rowPixels = ROW_PIXELS[chart.kind]
  const height = chart.rows.length * rowPixels
  const asides = chart.rows.map(({ aside }, index) => lineOf(aside, index * rowPixels))
  const names = chart.rows.map(({ name, aside }, index) => {
    const room = plotPixels - textWidth(aside, TEXT_PIXELS) - 12
    return lineOf(fitText(name, Math.max(room, plotPixels / 4), TEXT_PIXELS), index * rowPixels)
  })
  const hasTime = chart.kind !== 'bars'
  const { isFirst = true, isLast = true } = chart.part ?? {}
  // Parts have an axis at both ends, because they can be printed on two pages.
  const axes = { top: hasTime && isFirst && !isLast, bottom: hasTime && isLast }
  const padding = {
    ...PADDING,
    top: (isFirst ? PADDING.top : 0) + (axes.top ? AXIS_PIXELS.top : 0),
    bottom: (isLast ? PADDING.bottom : 0) + (axes.bottom ? AXIS_PIXELS.bottom : 0),
  }
  return {
    ...frame(plotPixels, height, padding),
    data: [
      { name: 'names', values: names },
      { name: 'asides', values: asides },
      { name: 'tracks', values: tracks(chart, rowPixels, plotPixels) },
      { name: 'boxes', values: rowBoxes(chart, rowPixels, plotPixels) },
    ],
    scales: hasTime ? [timeScale(chart.range)] : [],
    axes: hasTime
      ? (['top', 'bottom'] as const)
          .filter((orient) => axes[orient])
          .map((orient) => timeAxis({ range: chart.range, plotPixels, orient }))
      : [],
    marks: [
      boxesMark('pixels', 'tracks'),
      boxesMark('pixels'),
      textsMark('names', 0, 'left', 'var(--ink)'),
      textsMark('asides', plotPixels, 'right', 'var(--soft)'),
    ],
  }
}

function lineOf(text: string, rowTop: number): Line {
  return { text, y: rowTop + NAME_BASELINE_PIXELS }
}

function tracks({ rows }: RowsChart, rowPixels: number, plotPixels: number): Box[] {
  return rows.map((_row, index) => {
    const [y1, y2] = bodyOf(index, rowPixels)
    return { x1: 0, x2: plotPixels, y1, y2, fill: 'var(--track)' }
  })
}

function rowBoxes(chart: RowsChart, rowPixels: number, plotPixels: number): Box[] {
  const most = chart.part?.most ?? mostOf(chart)
  switch (chart.kind) {
    case 'bars': {
      return chart.rows.map(({ value }, index) => {
        const [y1, y2] = bodyOf(index, rowPixels)
        return { x1: 0, x2: (value / most) * plotPixels, y1, y2, fill: 'var(--live)' }
      })
    }
    case 'timelines':
      return chart.rows.flatMap(({ spans }, index) =>
        spanBoxes(spans, chart.range, bodyOf(index, rowPixels), plotPixels),
      )
    case 'curves': {
      return chart.rows.flatMap(({ points }, index) => {
        const [y1, y2] = bodyOf(index, rowPixels)
        return columnBoxes(points, chart.range, plotPixels, 0).map((box) => ({
          ...box,
          y1: y2 - (box.y1 / most) * (y2 - y1),
          y2,
        }))
      })
    }
  }
}

/** Live spans have the full height, recorded ones the lower half, so that they differ without colours too. */
function spanBoxes(spans: readonly Span[], range: TimeRange, [y1, y2]: [number, number], plotPixels: number): Box[] {
  const pixels = plotPixels / (range.toMs - range.fromMs)
  return spans.map(({ fromMs, toMs, isLive }) => {
    const x1 = Math.min(plotPixels - THINNEST_PIXELS, Math.max(0, (fromMs - range.fromMs) * pixels))
    const x2 = Math.min(plotPixels, Math.max(x1 + THINNEST_PIXELS, (toMs - range.fromMs) * pixels))
    return { x1, x2, y1: isLive ? y1 : (y1 + y2) / 2, y2, fill: LAYER_COLORS[isLive ? 0 : 1] ?? '' }
  })
}

function bodyOf(index: number, rowPixels: number): [top: number, foot: number] {
  return [index * rowPixels + BODY_TOP_PIXELS, (index + 1) * rowPixels - ROW_GAP_PIXELS]
}

function frame(
  width: number,
  height: number,
  padding: { left: number; right: number; top: number; bottom: number },
): Spec {
  const axis: Config['axis'] = {
    ...{ labelColor: 'var(--soft)', labelFontSize: AXIS_TEXT_PIXELS, labelLimit: 0, labelOverlap: false },
    ...{ gridColor: 'var(--line)', tickColor: 'var(--line)', domainColor: 'var(--line)', labelPadding: 6 },
  }
  const config = {
    aria: false,
    axis,
    text: { font: 'system-ui, sans-serif' },
    style: { 'guide-label': { font: 'system-ui, sans-serif' } },
  }
  return { width, height, padding, autosize: 'none', config }
}

function boxesMark(vertical: 'scale' | 'pixels', data = 'boxes'): Mark {
  const y = (field: string) => (vertical === 'scale' ? { scale: 'y', field } : { field })
  const across = { x: { field: 'x1' }, x2: { field: 'x2' } }
  return {
    type: 'rect',
    from: { data },
    encode: { enter: { ...across, y: y('y1'), y2: y('y2'), fill: { field: 'fill' } } },
  }
}

function lineMark(fill: string, heightPixels: number): Mark {
  return {
    type: 'rect',
    from: { data: 'line' },
    encode: {
      enter: {
        ...{ x: { field: 'x1' }, x2: { field: 'x2' }, yc: { scale: 'y', field: 'y' }, height: { value: heightPixels } },
        fill: { value: fill },
      },
    },
  }
}

function textsMark(data: string, x: number, align: 'left' | 'right', fill: string): Mark {
  return {
    type: 'text',
    from: { data },
    encode: {
      enter: {
        ...{ x: { value: x }, y: { field: 'y' }, text: { field: 'text' }, align: { value: align } },
        ...{ fill: { value: fill }, fontSize: { value: TEXT_PIXELS } },
      },
    },
  }
}

function numberLabel(value: number, top: number): string {
  return top < 4 ? '0.00' : Math.ceil(value * 1.25).toLocaleString('en')
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
