import type { DatabaseSync } from 'node:sqlite'
import type { Span } from '../../html-page/rows-chart.ts'
import { numberedTexts } from '../../output/rows-database.ts'
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

const LISTS = ['viewer', 'content', 'country', 'city', 'system', 'browser'] as const
export type ViewList = (typeof LISTS)[number]

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
  const tallies = LISTS.map((list) => ({ list, tally: createTally(database, list) }))
  const deviceNumber = numberedTexts(database, 'device')
  const totals = { views: 0, ms: 0, liveMs: 0, mobile: 0, running: 0, unnamed: 0 }
  database.exec('CREATE TABLE view (viewer INTEGER, layer INTEGER, fromMs INTEGER, toMs INTEGER)')
  const insert = database.prepare('INSERT INTO view VALUES (?, ?, ?, ?)')
  return {
    add(view: CountedView): void {
      const { viewer, device, isMobile, isRunning, layer, fromMs, toMs } = view
      const ms = toMs - fromMs
      totals.views += 1
      totals.ms += ms
      totals.liveMs += layer === 0 ? ms : 0
      totals.mobile += Number(isMobile)
      totals.running += Number(isRunning)
      totals.unnamed += Number(viewer === null)
      if (device !== null) deviceNumber(device)
      let viewerNumber: number | null = null
      for (const { list, tally } of tallies) {
        const name = view[list]
        const number = name === null ? null : tally.add(name, ms)
        if (list === 'viewer') viewerNumber = number
      }
      insert.run(viewerNumber, layer, fromMs, toMs)
    },
    totals: () => ({ ...totals, devices: Number(database.prepare('SELECT count(*) AS n FROM device').get()?.n) }),
    ranking: (list: ViewList, by: 'views' | 'ms', most: number): Ranking =>
      tallies.find((one) => one.list === list)?.tally.ranking(by, most) ?? { top: [], known: 0 },
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
        .prepare(`SELECT text AS viewer, fromMs, toMs, layer FROM view JOIN viewer ON viewer.id = view.viewer
          WHERE text IN (SELECT value FROM json_each(?))`)
        .iterate(JSON.stringify(viewers)) as unknown as Iterable<Span & { readonly viewer: string }>,
  }
}

/** Counts the views of each name of a list. The names are in a table, because there may be very many. */
function createTally(database: DatabaseSync, table: ViewList) {
  const numberOf = numberedTexts(database, table)
  // Index 0 stays unused, because numbers begin at 1.
  const views = [0]
  const ms = [0]
  return {
    add(name: string, watchedMs: number): number {
      const number = numberOf(name)
      views[number] = (views[number] ?? 0) + 1
      ms[number] = (ms[number] ?? 0) + watchedMs
      return number
    },
    ranking(by: 'views' | 'ms', most: number): Ranking {
      const values = by === 'views' ? views : ms
      const least = Float64Array.from(values.slice(1)).sort().at(-most) ?? 0
      const name = database.prepare(`SELECT text FROM ${table} WHERE id = ?`)
      const top = [...values.keys()]
        .filter((number) => number > 0 && (values[number] ?? 0) >= least)
        .map((number) => ({
          name: String(name.get(number)?.text),
          views: views[number] ?? 0,
          ms: ms[number] ?? 0,
        }))
        .sort((a, b) => b[by] - a[by] || (a.name < b.name ? -1 : 1))
      return { top: top.slice(0, most), known: values.length - 1 }
    },
  }
}
