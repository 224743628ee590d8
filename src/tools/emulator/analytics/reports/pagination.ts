import type { ReportQuestion } from './report-question.ts'

interface Link {
  readonly href: string
}

export interface Pagination {
  /** The number of items on all pages. */
  readonly count: number
  readonly first: Link
  readonly last: Link
  readonly next: Link | null
  readonly prev: Link | null
  readonly self: Link
}

/**
 * Makes the pagination object. Links keep all other parameters. A report without items has one page. On a page beyond
 * the end, `prev` leads to the last page.
 */
export function paginate({ page, link }: Pick<ReportQuestion, 'page' | 'link'>, count: number): Pagination {
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
