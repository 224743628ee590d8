import { readFileSync } from 'node:fs'
import type { TimeRange } from '../output/time-range.ts'
import { machineTimeZone } from '../output/time-zone.ts'
import { rangeWords, timeWords, timeZoneWords } from '../output/words.ts'
import { sourceOf } from './content-policy.ts'
import type { PageModel, PageTable, Section } from './page-model.ts'

interface PageAbout {
  /** Null for all time. An end can be infinite. */
  readonly range: TimeRange | null
  /** The channels, videos or the address that the page covers. */
  readonly scope: string
  /** The origin of the numbers, as the end of the sentence about the page. */
  readonly source: string
  readonly nowMs: number
}

const beside = (name: string) => new URL(name, import.meta.url).href

/**
 * Renders one self-contained HTML page. Its Content-Security-Policy allows only its own style and script, and no
 * request. The script gets names as text of the page, which the template escapes.
 */
export async function renderPage(model: PageModel, { range, scope, source, nowMs }: PageAbout): Promise<string> {
  const { default: ejs } = await import('ejs')
  const style = filesAt(import.meta.resolve('uplot/dist/uPlot.min.css'), beside('page.css'))
  const script = filesAt(beside('public/charts.js'), import.meta.resolve('uplot/dist/uPlot.iife.min.js'))
  const ends = range === null ? [nowMs] : [range.fromMs, Math.min(range.toMs, nowMs)]
  return ejs.render(filesAt(beside('page.ejs')), {
    model,
    style,
    script,
    blocks: blocksOf(model.sections),
    tableOf,
    isEmpty: model.sections.length === 0 && model.figures.length === 0,
    policy: `default-src 'none'; script-src ${sourceOf(script)}; style-src ${sourceOf(style)}; base-uri 'none'; form-action 'none'`,
    about: {
      range: range === null ? 'All time' : rangeWords(range),
      scope,
      source,
      zone: machineTimeZone(),
      timeZone: timeZoneWords(ends.filter(Number.isFinite)),
      madeOn: timeWords(nowMs),
    },
  })
}

/** Reads files. */
function filesAt(...addresses: readonly string[]): string {
  return addresses.map((address) => readFileSync(new URL(address), 'utf8')).join('\n')
}

/** Returns the table of a section. The numbers of a chart over time are always in a table. */
function tableOf({ chart, table }: Section): PageTable | undefined {
  if (chart.kind === 'rows') return table
  return {
    columns: [chart.timesTitle, ...chart.columns.map(({ title }) => title)],
    rows: chart.rows.map(({ words, values }) => [words, ...values]),
  }
}

/** Puts each two sections of half width beside each other. */
function blocksOf(sections: readonly Section[]): object[][] {
  const blocks: { section: Section; id: string }[][] = []
  for (const [index, section] of sections.entries()) {
    const last = blocks.at(-1)
    const one = { section, id: `part-${index + 1}` }
    if (section.isHalf && last?.length === 1 && last[0]?.section.isHalf) last.push(one)
    else blocks.push([one])
  }
  return blocks
}
