import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { Registration } from '../../../features/registration/book/registration.ts'
import type { Registrations } from '../../../features/registration/book/registrations.ts'
import type { Outcome } from '../../cli/terminal/command.ts'
import { type CsvCell, csvRecord } from '../../cli/terminal/csv.ts'
import { type CommandIo, stopOnInterrupt } from '../../cli/terminal/io.ts'
import { openSink } from '../../cli/terminal/sink.ts'
import { counted, printableJson } from '../../cli/terminal/text.ts'
import { isoOf, rowOf } from './list-registrations.ts'
import { pagesOf, type RegistrationOptions, withRegistrations } from './open-registrations.ts'

interface ExportOptions extends RegistrationOptions {
  readonly excel?: boolean
  readonly output?: string
}

const BYTE_ORDER_MARK = '\ufeff'

/** Writes registrations as CSV, or with --json as JSON Lines. */
export async function exportRegistrations(io: CommandIo, options: ExportOptions): Promise<Outcome> {
  const { output, json, excel } = options
  return await withRegistrations(io, options, async (opened) => {
    using stop = stopOnInterrupt(io)
    await using sink = await openSink(output, io, stop.signal)
    const columns = columnsOf(opened.entryPoint, opened.registrations)
    if (!json) await sink.write(`${excel ? BYTE_ORDER_MARK : ''}${csvRecord(columns.map(({ title }) => title))}`)
    const lineOf = (one: Registration) =>
      json ? `${printableJson(rowOf(one))}\n` : csvRecord(columns.map(({ cell }) => cell(one)))
    let count = 0
    for await (const page of pagesOf(opened.registrations, options)) {
      await sink.write(page.map(lineOf).join(''))
      count += page.length
      if (stop.signal.aborted) break
    }
    if (stop.signal.aborted) return { ok: false, fault: 'Stopped. The export is not complete.' }
    await sink.finish()
    if (output === undefined) return { ok: true }
    const text = `Wrote ${counted(count, 'registration')} to ${output}.`
    return { ok: true, text, data: { file: output, registrations: count } }
  })
}

interface Column {
  readonly title: string
  readonly cell: (registration: Registration) => CsvCell
}

/** The first column has the name that an attendance report takes. */
export function columnsOf({ name }: EntryPoint, { settings: { fields, group } }: Registrations): Column[] {
  const ofFields = fields.map(
    (field): Column => ({ title: field.name, cell: ({ attributes }) => attributes[field.name] }),
  )
  const ofConsents = fields.flatMap((field): Column[] =>
    field.kind !== 'consent'
      ? []
      : [
          {
            title: `${field.name} at`,
            cell: ({ consents }) => consents.flatMap((one) => (one.name === field.name ? isoOf(one.atSeconds) : []))[0],
          },
        ],
  )
  return [
    { title: 'username', cell: ({ address }) => address },
    { title: 'state', cell: ({ state }) => state },
    { title: 'groups', cell: () => group },
    { title: 'entry_point', cell: () => name },
    { title: 'registered_at', cell: ({ registeredAtSeconds }) => isoOf(registeredAtSeconds) },
    { title: 'changed_at', cell: ({ changedAtSeconds }) => isoOf(changedAtSeconds) },
    { title: 'language', cell: ({ language }) => language },
    ...ofFields,
    ...ofConsents,
  ]
}
