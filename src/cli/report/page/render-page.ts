import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TimeRange } from '../chart/chart.ts'
import { drawChart, WIDTHS_PIXELS } from '../chart/draw-chart.ts'
import type { PageModel, Section } from './page-model.ts'
import { rangeWords, timeWords, timeZoneWords } from './words.ts'

interface PageAbout {
  /** Null for all time. An end can be infinite. */
  readonly range: TimeRange | null
  /** The contents or the address that the page covers. */
  readonly scope: string
  /** The origin of the numbers, as the end of the sentence about the page. */
  readonly source: string
  readonly nowMs: number
}

const fileBeside = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/**
 * Renders one self-contained HTML page. It has no scripts and sends no requests; its Content-Security-Policy blocks
 * both. The template and vega escape all names.
 */
export async function renderPage(model: PageModel, { range, scope, source, nowMs }: PageAbout): Promise<string> {
  const { default: ejs } = await import('ejs')
  const style = readFileSync(fileBeside('page.css'), 'utf8')
  const sections: { section: Section; id: string; drawings: object[] }[] = []
  for (const [index, section] of model.sections.entries()) {
    const widths = [section.isHalf ? WIDTHS_PIXELS.half : WIDTHS_PIXELS.wide, WIDTHS_PIXELS.narrow]
    const drawings: object[] = []
    for (const width of widths) drawings.push(await drawChart(section.chart, width))
    sections.push({ section, id: `part-${index + 1}`, drawings })
  }
  return ejs.render(readFileSync(fileBeside('page.ejs'), 'utf8'), {
    ...{ model, sections, style },
    styleHash: `sha256-${createHash('sha256').update(style).digest('base64')}`,
    about: {
      range: range === null ? 'All time' : rangeWords(range),
      scope,
      source,
      timeZone: timeZoneWords(Math.min(range?.toMs ?? nowMs, nowMs)),
      madeOn: timeWords(nowMs),
    },
  })
}
