/* global uPlot */

// Before uPlot reads it: a print is sharper than most screens.
window.devicePixelRatio = Math.max(2, window.devicePixelRatio)

const COLORS = ['#1c64b0', '#bf5b00', '#8c3fa8', '#b3261e', '#39752f']
/** Lines of one chart differ by their dashes too, for a print without colors: the line, and its mark in the legend. */
const DASHES = [
  { dash: [], border: 'solid' },
  { dash: [7, 5], border: 'dashed' },
  { dash: [2, 4], border: 'dotted' },
]
const PAPER = '#fff'
const INK = '#1b1f24'
const SOFT = '#57606a'
const LINE = '#d5dae0'
const FONT = '12px system-ui, sans-serif'
const HEIGHT_PIXELS = 260
const DAY = 86_400
const MONTH = 30 * DAY
/** Distances of two labels, in seconds. */
const STEPS = [1, 5, 15, 30]
  .concat([60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200])
  .concat([1, 2, 7, 14, 30, 60, 90, 180, 365, 730, 3_650].map((days) => days * DAY))

// uPlot comes after this text.
addEventListener('DOMContentLoaded', () => {
  // Without scripts, the tables stay open.
  for (const details of document.querySelectorAll('details')) details.open = false
  for (const place of document.querySelectorAll('.chart')) draw(place)
})

/** Draws the numbers of the table in the same section. */
function draw(place) {
  const table = place.parentElement.querySelector('table')
  const heads = [...table.tHead.rows[0].cells]
  const steps = stepsOf([...table.tBodies[0].rows], place.dataset)
  const times = steps.map(({ at }) => at)
  const columns = heads.flatMap((head, column) => (head.dataset.draw ? [{ head, column }] : []))
  const numbers = columns.map(({ column }) => steps.map(({ row }) => numberIn(row, column)))
  const areas = columns.filter(({ head }) => head.dataset.draw === 'area').length
  // An area stands on the areas after it.
  for (let area = areas - 2; area >= 0; area -= 1) {
    numbers[area] = numbers[area].map((value, step) => value + numbers[area + 1][step])
  }
  const most = Math.max(...numbers.flat())
  const isWhole = numbers.flat().every(Number.isInteger)
  const shortest = Math.min(...steps.map(({ seconds }) => seconds))
  const chart = new uPlot(
    {
      width: place.clientWidth,
      height: HEIGHT_PIXELS,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), document.documentElement.dataset.zone),
      scales: { x: { range: [times[0], times.at(-1)] }, y: { range: [0, most > 0 ? most * 1.05 : 1] } },
      axes: [timeAxis(shortest), numberAxis(isWhole)],
      legend: { markers: { width: 2, dash: (_chart, series) => dashOf(series - 1 - areas).border } },
      cursor: {
        y: false,
        drag: { x: false },
        points: { show: false },
        dataIdx: (_chart, _series, nearest, time) => (times[nearest] > time ? Math.max(0, nearest - 1) : nearest),
      },
      series: [
        { label: heads[0].textContent, value: (_chart, _value, _series, step) => textIn(steps[step]?.row, 0) },
        ...columns.map(({ head, column }, index) => ({
          ...look(head.dataset.draw === 'area', index, areas),
          label: head.textContent,
          paths: uPlot.paths.stepped({ align: 1 }),
          points: { show: false },
          value: (_chart, _value, _series, step) => textIn(steps[step]?.row, column),
        })),
      ],
      hooks: { draw: [(chart) => drawMarks(chart, JSON.parse(place.dataset.marks ?? '[]'))] },
    },
    [times, ...numbers],
    place,
  )
  addEventListener('resize', () => chart.setSize({ width: place.clientWidth, height: HEIGHT_PIXELS }))
}

/** Returns a step for each row and for each gap between rows. The last step is the end of the chart. */
function stepsOf(rows, { from, to }) {
  const steps = []
  let end = from / 1000
  for (const row of rows) {
    const begin = row.dataset.from / 1000
    const rowEnd = row.dataset.to / 1000
    if (begin > end) steps.push({ at: end, seconds: Number.POSITIVE_INFINITY, row: null })
    steps.push({ at: begin, seconds: rowEnd - begin, row })
    end = rowEnd
  }
  const last = { at: end, seconds: Number.POSITIVE_INFINITY, row: steps.at(-1)?.row ?? null }
  return end < to / 1000 ? [...steps, { ...last, row: null }, { ...last, at: to / 1000, row: null }] : [...steps, last]
}

function numberIn(row, column) {
  return row === null ? 0 : Number(row.cells[column].textContent.replaceAll(',', ''))
}

/** Returns the text of a cell. `row` is null in a gap, and undefined while the pointer is elsewhere. */
function textIn(row, column) {
  return row === null && column > 0 ? '0' : (row?.cells[column].textContent ?? '')
}

function dashOf(line) {
  return DASHES[Math.max(0, line) % DASHES.length]
}

/** The first line on areas is black: the areas have the first colors. */
function look(isArea, index, areas) {
  if (isArea) return { stroke: COLORS[index], fill: COLORS[index], width: 0 }
  const line = index - areas
  const stroke = areas > 0 && line === 0 ? INK : COLORS.at(areas > 0 ? 2 + line : line)
  return { stroke, width: 2, dash: dashOf(line).dash }
}

/** Draws a line for each mark, with its words beside it: each on a row of its own, as marks may be near each other. */
function drawMarks({ ctx, bbox, valToPos }, marks) {
  const pixels = window.devicePixelRatio
  ctx.save()
  ctx.font = `${12 * pixels}px system-ui, sans-serif`
  ctx.lineWidth = pixels
  ctx.setLineDash([4 * pixels, 3 * pixels])
  for (const [row, { atMs, words }] of marks.entries()) {
    const x = valToPos(atMs / 1000, 'x', true)
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    const width = ctx.measureText(words).width + 6 * pixels
    const isLeft = x + width > bbox.left + bbox.width
    ctx.strokeStyle = INK
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    const top = bbox.top + (2 + 16 * row) * pixels
    ctx.globalAlpha = 0.75
    ctx.fillStyle = PAPER
    ctx.fillRect(isLeft ? x - width : x, top, width, 16 * pixels)
    ctx.globalAlpha = 1
    ctx.fillStyle = INK
    ctx.textAlign = isLeft ? 'right' : 'left'
    ctx.fillText(words, x + (isLeft ? -3 : 3) * pixels, top + 12 * pixels)
  }
  ctx.restore()
}

function timeAxis(shortest) {
  const format = (options) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: document.documentElement.dataset.zone })
  const month = format({ month: 'short', year: 'numeric' })
  const day = format({ day: 'numeric', month: 'short' })
  const minute = format({ hour: '2-digit', minute: '2-digit' })
  const second = format({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
  function words(seconds, step) {
    if (step >= MONTH) return month.format(seconds * 1000)
    if (step >= DAY || minute.format(seconds * 1000) === '00:00') return day.format(seconds * 1000)
    return (step < 60 ? second : minute).format(seconds * 1000)
  }
  return {
    ...axisLook(),
    space: 70,
    incrs: STEPS.filter((step) => step >= Math.min(shortest * 0.9, 3_650 * DAY)),
    values: (_chart, times, _axis, _space, step) => times.map((seconds) => words(seconds, step)),
  }
}

function numberAxis(isWhole) {
  return {
    ...axisLook(),
    ...(isWhole && { incrs: Array.from({ length: 46 }, (_, at) => [1, 2, 5][at % 3] * 10 ** Math.floor(at / 3)) }),
    values: (_chart, numbers) => numbers.map((number) => number.toLocaleString('en')),
    size: (_chart, words) => 18 + 7 * Math.max(1, ...(words ?? []).map(({ length }) => length)),
  }
}

function axisLook() {
  const line = { stroke: LINE, width: 1 }
  return { stroke: SOFT, font: FONT, grid: line, ticks: line }
}
