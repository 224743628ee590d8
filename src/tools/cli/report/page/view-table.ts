import type { DatabaseSync } from 'node:sqlite'
import type { Span } from '../../html-page/rows-chart.ts'
import type { TimeRange } from '../../output/time-range.ts'

/** A view as the page counts it. Texts that are null are in no list. */
export interface CountedView extends Span {
  readonly viewer: string | null
  readonly device: string | null
  readonly content: string
  readonly country: string
  readonly city: string
  readonly system: string
  readonly browser: string
  readonly isMobile: boolean
  readonly isRunning: boolean
}

export interface ViewTotals {
  readonly views: number
  readonly ms: number
  readonly liveMs: number
  readonly mobile: number
  readonly running: number
  readonly unnamed: number
  readonly devices: number
}

export type ViewList = 'viewer' | 'content' | 'country' | 'city' | 'system' | 'browser'

/** A name of a list, and its views. */
export interface Watched {
  readonly name: string
  readonly views: number
  readonly ms: number
}

export interface Ranking {
  /** The first names, equal ones in the order of their letters. */
  readonly top: readonly Watched[]
  /** The number of all names. */
  readonly known: number
}

/** The views that start and end at a moment, and how many more run from then on. A view ends before the next one starts. */
export interface Change {
  readonly atMs: number
  readonly starts: number
  readonly ends: number
  readonly live: number
  readonly recorded: number
}

/** The views of a report. */
export interface ViewTable {
  add(view: CountedView): void
  totals(): ViewTotals
  ranking(list: ViewList, by: 'views' | 'ms', most: number): Ranking
  /** Yields the changes inside a period, in the order of time. Views that run at its start do not start in it. */
  changes(period: TimeRange): Iterable<Change>
  spansOf(viewers: readonly string[]): Iterable<Span & { readonly viewer: string }>
}

export function createViewTable(database: DatabaseSync): ViewTable {
  database.exec(`CREATE TABLE view (viewer TEXT, device TEXT, content TEXT, country TEXT, city TEXT, system TEXT,
    browser TEXT, isMobile INTEGER, isRunning INTEGER, layer INTEGER, fromMs INTEGER, toMs INTEGER)`)
  const insert = database.prepare('INSERT INTO view VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  return {
    add({ viewer, device, content, country, city, system, browser, isMobile, isRunning, layer, fromMs, toMs }) {
      const where = [content, country, city, system, browser]
      insert.run(viewer, device, ...where, Number(isMobile), Number(isRunning), layer, fromMs, toMs)
    },
    totals: () =>
      database
        .prepare(`SELECT count(*) AS views, total(toMs - fromMs) AS ms,
          total(toMs - fromMs) FILTER (WHERE layer = 0) AS liveMs, total(isMobile) AS mobile,
          total(isRunning) AS running, count(*) - count(viewer) AS unnamed,
          (SELECT count(*) FROM (SELECT 1 FROM view WHERE device IS NOT NULL GROUP BY device)) AS devices FROM view`)
        .get() as unknown as ViewTotals,
    ranking(list, by, most) {
      const rows = database
        .prepare(`SELECT ${list} AS name, count(*) AS views, sum(toMs - fromMs) AS ms, count(*) OVER () AS known
          FROM view WHERE ${list} IS NOT NULL GROUP BY name ORDER BY ${by} DESC, name LIMIT ?`)
        .all(most) as unknown as (Watched & { known: number })[]
      return { top: rows, known: rows[0]?.known ?? 0 }
    },
    changes: ({ fromMs, toMs }) =>
      database
        .prepare(`WITH inside AS NOT MATERIALIZED (SELECT * FROM view WHERE toMs >= $from AND fromMs < $to)
          SELECT atMs, sum(isStart) AS starts, sum(isEnd) AS ends, sum(live) AS live, sum(recorded) AS recorded FROM (
            SELECT max(fromMs, $from) AS atMs, fromMs >= $from AS isStart, 0 AS isEnd, 1 - layer AS live, layer AS recorded
              FROM inside
            UNION ALL SELECT min(toMs, $to), 0, 1, layer - 1, -layer FROM inside
          ) GROUP BY atMs ORDER BY atMs`)
        .iterate({ from: fromMs, to: toMs }) as unknown as Iterable<Change>,
    spansOf: (viewers) =>
      database
        .prepare('SELECT viewer, fromMs, toMs, layer FROM view WHERE viewer IN (SELECT value FROM json_each(?))')
        .iterate(JSON.stringify(viewers)) as unknown as Iterable<Span & { viewer: string }>,
  }
}
