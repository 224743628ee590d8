import { availableParallelism } from 'node:os'
import { type Command, InvalidArgumentError } from 'commander'
import { readContextWords } from '../../../config.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import { storedPasswords } from '../../../users/passwords/stored-passwords.ts'
import { type ImportCounts, type ImportDeps, type Invitations, importViewers } from '../import/import-viewers.ts'
import { type ColumnOptions, type FeatureColumn, fieldsWith, type RowField, viewerRows } from '../import/viewer-file.ts'
import { withEditableStore } from '../settings/editable-store.ts'
import { addCommand, addNotes, type CommandContext, type Outcome, runCommand } from '../terminal/command.ts'
import { type CommandIo, stopOnInterrupt } from '../terminal/io.ts'
import { startProgress } from '../terminal/progress.ts'
import { foreignHashOptions } from './foreign-hashes/foreign-hash-options.ts'
import type { HashOptions } from './hash-options.ts'
import { faultInRowOf, type InvitationOptions, type Inviter, type Inviting, needsInvitation } from './inviting.ts'
import { collectRefusals } from './refusals.ts'
import { type HasViewerFacts, invitingIn, viewerFactsOf } from './viewer-facts.ts'

interface ImportCommandOptions extends InvitationOptions {
  readonly invite?: boolean
  readonly json?: boolean
  readonly column?: ReadonlyMap<RowField, string>
  readonly ignore?: ReadonlySet<string>
  readonly update?: boolean
  readonly acceptWeakPasswords?: boolean
  readonly check?: boolean
}

interface ImportOptions extends ImportCommandOptions {
  readonly columns: readonly FeatureColumn[]
  readonly canInvite: boolean
}

/** Options for further forms of hashes. */
// biome-ignore format: one item a line
export const HASH_OPTIONS: readonly HashOptions[] = [
  foreignHashOptions,
]

const aboutWith = (columns: readonly FeatureColumn[]) => `
FILE is CSV with the names of its columns in the first line, or JSON Lines, in UTF-8. Columns: username; password or
password_hash; groups (separated by commas or semicolons); disabled (true or false)${columns.map(({ about }) => `; ${about}`).join('')}. Every other column is an attribute.
Password hashes: argon2${HASH_OPTIONS.map(({ forms }) => forms).join('')}. The app replaces each hash at the viewer's first sign-in. To continue a stopped
import, run the same command again.`

/**
 * Adds `viewers import`. The npm script limits V8's heap: every row soon becomes garbage, and without a limit a million
 * rows take 275 MB instead of 190.
 */
export async function addViewersImportCommand(group: Command, context: CommandContext<HasViewerFacts>): Promise<void> {
  const features = await viewerFactsOf(context)
  const columns = features.flatMap(({ column }) => column?.() ?? [])
  const inviting = invitingIn(features)
  const ofFeatures = { columns, canInvite: inviting !== undefined }
  const command = addCommand(
    group,
    'import <FILE>',
    'add all viewers of a file, with their passwords or password hashes',
    [
      'viewer-auth viewers import viewers.csv',
      'viewer-auth viewers import users.csv --column username=user_email --column password_hash=user_pass --ignore ID',
      'viewer-auth viewers import viewers.jsonl --check',
      ...(inviting ? ['viewer-auth viewers import viewers.csv --invite'] : []),
    ],
  )
  addNotes(command, aboutWith(columns))
  if (inviting)
    inviting.addOptions(command.option('--invite', 'send viewers without a password a link by which they set one'))
  command
    .option(
      '--column <FIELD=COLUMN>',
      'read a field from the column of this name; repeatable',
      collectColumn(fieldsWith(columns)),
    )
    .option('--ignore <COLUMN>', 'ignore this column; repeatable', collectIgnored)
    .option('--update', 'give existing viewers the groups, state and attributes of the file')
    .option('--accept-weak-passwords', 'accept passwords that the app refuses for new viewers, such as short ones')
  for (const { addTo } of HASH_OPTIONS) addTo(command)
  command
    .option('--check', 'check the file and change nothing')
    .action((file: string, options: ImportCommandOptions) =>
      runCommand(context, options.json, () =>
        options.check
          ? importAndInvite(context, file, { ...options, ...ofFeatures }, null, inviting)
          : withEditableStore(context.io, (store) =>
              importAndInvite(context, file, { ...options, ...ofFeatures }, store, inviting),
            ),
      ),
    )
}

/** @param store null to check the file. With `--invite`, a check names the addresses that cannot be used. */
function importAndInvite(
  context: CommandContext,
  path: string,
  options: ImportOptions,
  store: EditableUserStore | null,
  inviting: Inviting | undefined,
): Promise<Outcome> {
  const { invite, links, update = false } = options
  const run = (invitations: Invitations | null) => importFile(context.io, path, options, store, invitations)
  if (!invite || inviting === undefined) return run(null)
  // No viewer needs an address for a file of links, and a check creates no file.
  if (store === null && links !== undefined) return run({ faultIn: () => null, invite: inviteNobody })
  return inviting.withInviter(context, options, (inviter) =>
    run(
      store === null
        ? { faultIn: inviter.faultIn, invite: inviteNobody }
        : {
            faultIn: faultInRowOf(store, inviter, update),
            invite: (username) => inviteOnce(store, inviter, username),
          },
    ),
  )
}

const inviteNobody = () => Promise.resolve(false)

/** Invites a viewer without a password and without a valid invitation, so that a stopped import can continue. */
async function inviteOnce(store: EditableUserStore, inviter: Inviter, username: string): Promise<boolean | string> {
  const known = await store.inspect(username)
  if (known === null || !needsInvitation(known)) return false
  const invited = await inviter.invite(store, username)
  return invited.ok || `was imported, but not invited: ${invited.fault.replace(/\.$/, '')}`
}

async function importFile(
  io: CommandIo,
  path: string,
  options: ImportOptions,
  store: ImportDeps['store'],
  invitations: Invitations | null,
): Promise<Outcome> {
  const columns = readColumns(options)
  const { openRecordFile } = await import('../../../files/record-file.ts')
  const file = await openRecordFile(path)
  const progress = startProgress(io, options.json ? 0 : file.sizeBytes)
  using stop = stopOnInterrupt(io)
  const isStopped = () => stop.signal.aborted
  const refusals = collectRefusals(progress.write, options.json ?? false)
  try {
    const counts = await importViewers(
      viewerRows(file, columns),
      {
        existing: options.update ? 'update' : 'keep',
        acceptsWeakPasswords: options.acceptWeakPasswords ?? false,
        contextWords: readContextWords(io.env),
      },
      {
        store,
        passwords: HASH_OPTIONS[0]?.passwordsOf(options) ?? storedPasswords,
        invitations,
        hashingWidth: availableParallelism(),
        onRefused: (line, { text }) => refusals.add(line, text),
        isStopped,
        onProgress: (bytesDone, soFar) => progress.update(bytesDone, progressOf(soFar)),
      },
    )
    if (isStopped()) {
      const stopped = `Stopped after ${rowsOf(counts)} rows.${invitedText(counts)}`
      return { ok: false, fault: `${stopped} Run the same import again to continue.` }
    }
    return outcomeOf(path, counts, store === null)
  } finally {
    refusals.flush()
    progress.stop()
    file.close()
  }
}

function invitedText({ invited }: ImportCounts): string {
  return invited > 0 ? ` ${invited.toLocaleString('en')} invited.` : ''
}

function readColumns(options: ImportOptions): ColumnOptions {
  const { column, ignore, update, invite, canInvite } = options
  const saltedHash = HASH_OPTIONS[0]?.saltedHashOf(options)
  return {
    columnOfField: column ?? new Map(),
    ignored: ignore ?? new Set(),
    needsPassword: !update && !invite,
    ...(canInvite && { insteadOfPassword: ', or let viewers set their passwords with --invite' }),
    featureColumns: options.columns,
    ...(saltedHash && { saltedHash }),
  }
}

function progressOf(counts: ImportCounts): string {
  const refused = counts.refused > 0 ? `, ${counts.refused.toLocaleString('en')} refused` : ''
  return `${rowsOf(counts)} rows${refused}`
}

function rowsOf({ good, refused }: ImportCounts): string {
  return (good + refused).toLocaleString('en')
}

function outcomeOf(path: string, counts: ImportCounts, isCheck: boolean): Outcome {
  const { good, added, updated, unchanged, refused, invited, plaintextPasswords } = counts
  const count = (number: number) => number.toLocaleString('en')
  const sentence = isCheck
    ? `${path}: ${count(good)} valid, ${count(refused)} refused.`
    : `${path}: ${count(added)} added, ${count(updated)} updated, ${count(unchanged)} unchanged, ${count(refused)} refused.`
  const warning =
    plaintextPasswords > 0 && !isCheck ? '\nThe file contains plaintext passwords. Delete it when you are done.' : ''
  const data = isCheck ? { good, refused } : { added, updated, unchanged, refused, ...(invited > 0 && { invited }) }
  return { ok: true, text: sentence + invitedText(counts) + warning, data, isPartial: refused > 0 }
}

/** Returns the parser of `--column`. */
function collectColumn(fields: readonly RowField[]) {
  return (text: string, columns: ReadonlyMap<RowField, string> = new Map()): Map<RowField, string> => {
    const field = text.slice(0, text.indexOf('='))
    const column = text.slice(text.indexOf('=') + 1)
    if (!fields.includes(field) || column === '') {
      throw new InvalidArgumentError(`Use FIELD=COLUMN with one of these fields: ${fields.join(', ')}.`)
    }
    return new Map([...columns, [field, column]])
  }
}

function collectIgnored(column: string, columns: ReadonlySet<string> = new Set()): Set<string> {
  return new Set([...columns, column])
}
