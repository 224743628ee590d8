import type { ReportSink } from '../terminal/sink.ts'
import { printableJson } from '../terminal/text.ts'

/** The form of rows as text: records of CSV, or one JSON array with a row on each line. */
export interface RowForm<Row> {
  /** Stands before the first row. */
  readonly head: string
  readonly isJson: boolean
  readonly recordOf: (row: Row) => string
}

export const JSON_ROWS: RowForm<unknown> = { head: '[', isJson: true, recordOf: printableJson }

const CHUNK_CHARACTERS = 65_536

/**
 * Writes rows in chunks, because the text of many rows is large.
 * @param earlier the number of rows that a cut report wrote. Null for a new one.
 */
export function rowWriter<Row>(sink: ReportSink, { head, isJson, recordOf }: RowForm<Row>, earlier: number | null) {
  let written = earlier ?? 0
  let text = earlier === null ? head : ''
  async function flush(): Promise<void> {
    await sink.write(text)
    text = ''
  }
  return {
    flush,
    /** Adds rows. Returns the number of all rows so far. */
    async add(rows: Iterable<Row>): Promise<number> {
      for (const row of rows) {
        text += isJson ? `${written === 0 ? '\n' : ',\n'}${recordOf(row)}` : recordOf(row)
        written += 1
        if (text.length >= CHUNK_CHARACTERS) await flush()
      }
      return written
    },
    /** Ends the text. Returns the number of all rows. */
    async end(): Promise<number> {
      if (isJson) text += written === 0 ? ']\n' : '\n]\n'
      await flush()
      return written
    },
  }
}
