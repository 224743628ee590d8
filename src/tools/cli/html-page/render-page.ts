import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rangeWords, timeWords, timeZoneWords } from '../output/words.ts'
import type { TimeRange } from './chart.ts'
import { chartParts } from './chart-parts.ts'
import { drawChart, WIDTHS_PIXELS } from './draw-chart.ts'
import type { PageModel, Section } from './page-model.ts'

interface PageAbout {
  /** Null for all time. An end can be infinite. */
  readonly range: TimeRange | null
  /** The contents or the address that the page covers. */
  readonly scope: string
  /** The origin of the numbers, as the end of the sentence about the page. */
  readonly source: string
  readonly nowMs: number
}

interface DrawnSection {
  readonly section: Section
  readonly id: string
  readonly drawings: readonly object[]
}

const fileBeside = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/**
 * Renders one self-contained HTML page. It has no scripts and sends no requests; its Content-Security-Policy blocks
 * both. The template and vega escape all names.
 */
export async function renderPage(model: PageModel, { range, scope, source, nowMs }: PageAbout): Promise<string> {
  const { default: ejs } = await import('ejs')
  const style = readFileSync(fileBeside('page.css'), 'utf8')
  const ends = range === null ? [nowMs] : [range.fromMs, Math.min(range.toMs, nowMs)]
  const sections: DrawnSection[] = []
  for (const [index, section] of model.sections.entries()) {
    const widths = [
      ['wide', section.isHalf ? WIDTHS_PIXELS.half : WIDTHS_PIXELS.wide],
      ['narrow', WIDTHS_PIXELS.narrow],
    ] as const
    const drawings: object[] = []
    const charts = section.isHalf ? [section.chart] : chartParts(section.chart)
    for (const [look, width] of widths) {
      for (const chart of charts) {
        drawings.push({ ...(await drawChart(chart, width)), look, isFirst: chart === charts[0] })
      }
    }
    sections.push({ section, id: `part-${index + 1}`, drawings })
  }
  return ejs.render(readFileSync(fileBeside('page.ejs'), 'utf8'), {
    ...{ model, blocks: blocksOf(sections), style, isEmpty: sections.length === 0 && model.figures.length === 0 },
    styleHash: `sha256-${createHash('sha256').update(style).digest('base64')}`,
    about: {
      range: range === null ? 'All time' : rangeWords(range),
      scope,
      source,
      timeZone: timeZoneWords(ends.filter(Number.isFinite)),
      madeOn: timeWords(nowMs),
    },
  })
}

/** Puts each two sections of half width beside each other. */
function blocksOf(sections: readonly DrawnSection[]): DrawnSection[][] {
  const blocks: DrawnSection[][] = []
  for (const one of sections) {
    const last = blocks.at(-1)
    if (one.section.isHalf && last?.length === 1 && last[0]?.section.isHalf) last.push(one)
    else blocks.push([one])
  }
  return blocks
}
