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

export type ViewTotals = ReturnType<ViewTable['totals']>
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

/** The views that start and end at a moment, and how many more run from then on. Ends come before starts. */
export type Change = readonly [atMs: number, starts: number, ends: number, live: number, recorded: number]

/** The views of a report. */
export type ViewTable = ReturnType<typeof createViewTable>

export function createViewTable(database: DatabaseSync) {
  database.exec(`CREATE TABLE view (viewer TEXT, device TEXT, content TEXT, country TEXT, city TEXT, system TEXT,
    browser TEXT, isMobile INTEGER, isRunning INTEGER, layer INTEGER, fromMs INTEGER, toMs INTEGER)`)
  const insert = database.prepare('INSERT INTO view VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  return {
    add({ isMobile, isRunning, layer, fromMs, toMs, ...texts }: CountedView): void {
      const { viewer, device, content, country, city, system, browser } = texts
      const numbers = [Number(isMobile), Number(isRunning), layer, fromMs, toMs]
      insert.run(viewer, device, content, country, city, system, browser, ...numbers)
    },
    totals: () =>
      database
        .prepare(`SELECT count(*) AS views, total(toMs - fromMs) AS ms, total((toMs - fromMs) * (1 - layer)) AS liveMs,
          total(isMobile) AS mobile, total(isRunning) AS running, count(*) - count(viewer) AS unnamed,
          count(DISTINCT device) AS devices FROM view`)
        .get() as Readonly<Record<'views' | 'ms' | 'liveMs' | 'mobile' | 'running' | 'unnamed' | 'devices', number>>,
    ranking(list: ViewList, by: 'views' | 'ms', most: number): Ranking {
      const rows = database
        .prepare(`SELECT ${list} AS name, count(*) AS views, sum(toMs - fromMs) AS ms, count(*) OVER () AS known FROM view
          WHERE ${list} IS NOT NULL GROUP BY ${list} ORDER BY ${by} DESC, ${list} LIMIT ?`)
        .all(most) as unknown as (Watched & { readonly known: number })[]
      return { top: rows, known: rows[0]?.known ?? 0 }
    },
    /** Returns the changes of a period, after one that sums up all before it. No view may be added after this call. */
    changes({ fromMs, toMs }: TimeRange): Iterable<Change> {
      database.exec(`CREATE TABLE IF NOT EXISTS change AS
        SELECT atMs, sum(isStart) AS starts, sum(isEnd) AS ends, sum(live) AS live, sum(recorded) AS recorded FROM (
          SELECT fromMs AS atMs, 1 AS isStart, 0 AS isEnd, 1 - layer AS live, layer AS recorded FROM view
          UNION ALL SELECT toMs, 0, 1, layer - 1, -layer FROM view
        ) GROUP BY atMs ORDER BY atMs`)
      const found =
        database.prepare(`SELECT $from - 1, 0, 0, total(live), total(recorded) FROM change WHERE atMs < $from
        UNION ALL SELECT * FROM change WHERE atMs >= $from AND atMs < $to`)
      found.setReturnArrays(true)
      return found.iterate({ from: fromMs, to: toMs }) as unknown as Iterable<Change>
    },
    spansOf: (viewers: readonly string[]) =>
      database
        .prepare('SELECT viewer, fromMs, toMs, layer FROM view WHERE viewer IN (SELECT value FROM json_each(?))')
        .iterate(JSON.stringify(viewers)) as unknown as Iterable<Span & { readonly viewer: string }>,
  }
}
