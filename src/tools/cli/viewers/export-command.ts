import type { Command } from 'commander'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import { storedPasswords } from '../../../users/passwords/stored-passwords.ts'
import type { StoredViewer } from '../../../users/passwords/verify-sign-in.ts'
import { type RowForm, rowWriter } from '../output/row-writer.ts'
import { withEditableStore } from '../settings/editable-store.ts'
import { addCommand, addNotes, type CommandContext, type Outcome, runCommand } from '../terminal/command.ts'
import { type CommandIo, stopOnInterrupt } from '../terminal/io.ts'
import { openSink, type ReportSink } from '../terminal/sink.ts'
import { counted, printableJson, printableParagraphs } from '../terminal/text.ts'
import { HASH_OPTIONS } from './import-command.ts'
import { writePerson } from './person/person-export.ts'
import { type HasViewerFacts, viewerFactsOf } from './viewer-facts.ts'

interface Options {
  readonly json?: boolean
  readonly output?: string
  readonly person?: string
}

const ABOUT = `
Writes JSON Lines with the password hashes, groups, states and attributes of all viewers. viewers import reads them without
options, also into another store. The file is as secret as the store: only you can read it.`
const STANDARD_OUTPUT = '-'
const NOT_TO_TERMINAL = 'Password hashes do not belong on a screen. Use --output FILE, or --output - to show them here.'
const JSON_LINES: RowForm<StoredViewer> = { head: '', isJson: false, recordOf: lineOf }

/** The hashes that `viewers import` accepts without options. */
const accepted = HASH_OPTIONS[0]?.passwordsOf({}) ?? storedPasswords

/** Adds `viewers export`. */
export async function addViewersExportCommand(group: Command, context: CommandContext<HasViewerFacts>): Promise<void> {
  const features = await viewerFactsOf(context)
  const leftOut = ['links to set a password', ...features.flatMap(({ notExported }) => notExported ?? [])].join(' and ')
  const command = addCommand(group, 'export', 'write all viewers with their password hashes, for viewers import', [
    'viewer-auth viewers export --output viewers.jsonl',
    'viewer-auth viewers export --person ada@example.com --output ada.json',
    'viewer-auth viewers export | gpg --encrypt --recipient ops@example.com > viewers.jsonl.gpg',
  ])
  addNotes(command, `${ABOUT} It does not have ${leftOut}.`)
    .option('--output <FILE>', 'the file; - is standard output, also a terminal (default: standard output)')
    .option('--person <USERNAME>', 'in place of all viewers, all that is known of one person, as JSON for this person')
    .action((options: Options) =>
      runCommand(context, options.json, async () => {
        const file = options.output === STANDARD_OUTPUT ? undefined : options.output
        if (options.person !== undefined) return await writePerson(context.io, features, options.person, file)
        if (options.output === undefined && context.io.stdout.isTTY) return { ok: false, fault: NOT_TO_TERMINAL }
        return await withEditableStore(context.io, (store) =>
          exportViewers(context.io, { ...options, file }, store, leftOut),
        )
      }),
    )
}

/** @param leftOut what belongs to viewers, and is not in the file. */
async function exportViewers(
  io: CommandIo,
  { json, file }: Pick<Options, 'json'> & { readonly file: string | undefined },
  store: EditableUserStore,
  leftOut: string,
): Promise<Outcome> {
  using stop = stopOnInterrupt(io)
  await using sink = await openSink(file, io, stop.signal)
  const { count, refusals } = await writeViewers(store, sink, stop.signal)
  if (stop.signal.aborted) return { ok: false, fault: 'Stopped. The export is not complete.' }
  if (count === 0) return { ok: false, fault: 'The user store has no viewers. Check USER_STORE_URL.' }
  await sink.finish()
  const place = file === undefined ? '' : ` to ${file}`
  const exported = `Exported ${counted(count, 'viewer')}${place}, without ${leftOut}.`
  const text = [exported, ...refusals].join('\n')
  if (file !== undefined) return { ok: true, text, data: { file, viewers: count, refusals } }
  if (!json) io.stderr.write(`${printableParagraphs(text, io.stderr)}\n`)
  return { ok: true }
}

/** Returns the number of viewers, and a sentence for each fault of a hash that the import will refuse. */
async function writeViewers(store: EditableUserStore, sink: ReportSink, signal: AbortSignal) {
  const hashesByFault = new Map<string, number>()
  const writer = rowWriter(sink, JSON_LINES, null)
  for await (const stored of store.exportAll()) {
    if (signal.aborted) break
    const reading = accepted.read(stored.passwordHash)
    if (!reading.ok) hashesByFault.set(reading.fault, (hashesByFault.get(reading.fault) ?? 0) + 1)
    await writer.add([stored])
  }
  const count = await writer.end()
  const refusals = [...hashesByFault].map(
    ([fault, hashes]) => `viewers import refuses ${counted(hashes, 'viewer')}, whose password hash ${fault}.`,
  )
  return { count, refusals }
}

function lineOf({ viewer, passwordHash, disabled }: StoredViewer): string {
  const { username, groups, attributes } = viewer
  const line = printableJson({ username, password_hash: passwordHash, groups, disabled, attributes })
  // The import reads this character as the sign of a file that is not UTF-8.
  return `${line.replaceAll('\uFFFD', '\\ufffd')}\n`
}
