import type { DatabaseSync } from 'node:sqlite'
import { answerViewers, answerViews } from './report-lists.ts'
import { answerPeaks } from './report-peaks.ts'
import type { Answer, ReportQuestion } from './report-question.ts'
import { answerSeries } from './report-series.ts'

/** Returns the body of the answer: JSON. @throws Error when the database fails. */
export function answerReport(database: DatabaseSync, question: ReportQuestion): string {
  const { count, items } = answer(database, question)
  return `{"data":[${[...items].join(',')}],"pagination":${JSON.stringify(paginate(question, count))}}`
}

function answer(database: DatabaseSync, question: ReportQuestion): Answer {
  const { report } = question
  switch (report.kind) {
    case 'viewers':
      return answerViewers(database, { ...question, report })
    case 'views':
      return answerViews(database, { ...question, report })
    case 'series':
      return answerSeries(database, { ...question, report })
    case 'peaks':
      return answerPeaks(database, { ...question, report })
  }
}

/**
 * Makes the pagination object. Links keep all other parameters. A report without items has one page. On a page beyond
 * the end, `prev` leads to the last page.
 */
function paginate({ page, link }: ReportQuestion, count: number): object {
  const others = link.parameters
    .filter(([name]) => name !== '_page' && name !== '_limit')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}&`)
    .join('')
  const to = (number: number) => ({ href: `${link.path}?${others}_page=${number}&_limit=${page.limit}` })
  const last = Math.max(1, Math.ceil(count / page.limit))
  return {
    count,
    first: to(1),
    last: to(last),
    next: page.number < last ? to(page.number + 1) : null,
    prev: page.number > 1 ? to(Math.min(page.number - 1, last)) : null,
    self: to(page.number),
  }
}
