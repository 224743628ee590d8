import type { ReportQuestion } from './report-question.ts'

/** Counts all items of a report, in order, and keeps only the items of the requested page. */
export interface PageWindow<T> {
  /** Adds items. `make` is called only for items on the page, with their index within this call. */
  add(itemCount: number, make: (index: number) => T): void
  items(): readonly T[]
  count(): number
}

export function openPageWindow<T>({ number, limit }: ReportQuestion['page']): PageWindow<T> {
  const first = (number - 1) * limit
  const items: T[] = []
  let count = 0
  return {
    add(itemCount, make) {
      const end = Math.min(itemCount, first + limit - count)
      for (let index = Math.max(0, first - count); index < end; index += 1) items.push(make(index))
      count += itemCount
    },
    items: () => items,
    count: () => count,
  }
}
