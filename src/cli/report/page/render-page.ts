import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Question } from '../../../video-service/report-question.ts'
import type { TimeRange } from '../chart/chart.ts'
import { drawChart, WIDTHS_PIXELS } from '../chart/draw-chart.ts'
import type { PageModel, Section } from './page-model.ts'
import { nameWords, rangeWords, timeWords, timeZoneWords } from './words.ts'

interface PageAbout {
  readonly question: Question
  /** Null for all time. */
  readonly range: TimeRange | null
  readonly nowMs: number
}

const fileBeside = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/**
 * Renders one self-contained HTML page. It has no scripts and sends no requests; its Content-Security-Policy blocks
 * both. The template and vega escape all names.
 */
export async function renderPage(model: PageModel, { question, range, nowMs }: PageAbout): Promise<string> {
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
      scope: scopeWords(question),
      timeZone: timeZoneWords(range?.toMs ?? nowMs),
      madeOn: timeWords(nowMs),
    },
  })
}

/** Describes the filters of the report. */
function scopeWords(question: Question): string {
  const { contentType, contentIds } = question
  const [kind, one, several] =
    contentType === 'live' ? ['Live broadcasts', 'channel', 'channels'] : ['Recorded videos', 'video', 'videos']
  const ids = contentIds === undefined ? '' : ` of ${contentIds.length === 1 ? one : several} ${contentIds.join(', ')}`
  const scope =
    contentType === undefined
      ? 'All live broadcasts and recorded videos'
      : contentType === 'live'
        ? `${kind}${ids}`
        : contentIds === undefined
          ? kind
          : `${contentIds.length === 1 ? 'The video' : 'The videos'} ${contentIds.join(', ')}`
  const limits = [
    ...('viewerIdentifier' in question && question.viewerIdentifier !== undefined
      ? [`viewers whose name contains “${nameWords(question.viewerIdentifier)}”`]
      : []),
    ...('listUnfinishedSegments' in question && question.listUnfinishedSegments === false
      ? ['only finished views']
      : []),
    ...('inclusiveRange' in question && question.inclusiveRange === false
      ? ['only views that started and ended in the period']
      : []),
  ]
  return [scope, ...limits].join('; ')
}
