import type { ReportQuestion } from './report-question.ts'

/** Counts the items of a list as they are made, in order, and keeps only those of the page that was asked for. */
export interface PageWindow<T> {
  /** Adds as many items as said; `make` is called for those on the page, with their number within this addition. */
  add(howMany: number, make: (index: number) => T): void
  items(): readonly T[]
  count(): number
}

export function openPageWindow<T>({ number, limit }: ReportQuestion['page']): PageWindow<T> {
  const first = (number - 1) * limit
  const items: T[] = []
  let count = 0
  return {
    add(howMany, make) {
      const end = Math.min(howMany, first + limit - count)
      for (let index = Math.max(0, first - count); index < end; index += 1) items.push(make(index))
      count += howMany
    },
    items: () => items,
    count: () => count,
  }
}
