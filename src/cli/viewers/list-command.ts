import { once } from 'node:events'
import { type Command, InvalidArgumentError } from 'commander'
import type { EditableUserStore, ListedViewer } from '../../users/editable-user-store.ts'
import { usernameKey } from '../../users/viewer-fields.ts'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../command.ts'
import type { CommandIo } from '../terminal/io.ts'
import { textTable } from '../terminal/table.ts'
import { printableJson } from '../terminal/text.ts'
import { withEditableStore } from './editable-store.ts'

interface ListOptions {
  readonly json?: boolean
  readonly name?: string
  readonly group?: string
  readonly limit?: number
}

/** A table is held in memory to find its widths, and nobody reads more. */
const MOST_TABLE_ROWS = 1000
const TITLES = ['User name', 'State', 'Groups', 'Attributes']

export function addViewersListCommand(group: Command, context: CommandContext): void {
  addCommand(group, 'list', 'show the viewers, by name', [
    'viewer-auth viewers list',
    'viewer-auth viewers list --name @example.com --group staff',
    'viewer-auth viewers list --json > viewers.json',
  ])
    .option('--name <TEXT>', 'only viewers whose user name holds this text, whatever the case')
    .option('--group <NAME>', 'only members of this group')
    .option(
      '--limit <N>',
      `at most this many (default: ${MOST_TABLE_ROWS} in a table, all in JSON)`,
      positiveWholeNumber,
    )
    .action((options: ListOptions) =>
      runCommand(context, options.json, () =>
        withEditableStore(context.io, (store) =>
          options.json ? writeJson(context.io, store, options) : writeTable(context.io, store, options),
        ),
      ),
    )
}

/** One array, a viewer a line, written as it is read: a million viewers need no memory. */
async function writeJson({ stdout }: CommandIo, store: EditableUserStore, options: ListOptions): Promise<Outcome> {
  const limit = options.limit ?? Number.POSITIVE_INFINITY
  let written = 0
  stdout.write('[')
  for await (const viewer of chosen(store, options)) {
    const isWritten = stdout.write(`${written === 0 ? '\n' : ',\n'}${printableJson(viewer)}`)
    if (!isWritten) await once(stdout, 'drain')
    written += 1
    if (written >= limit) break
  }
  stdout.write(written === 0 ? ']\n' : '\n]\n')
  return { ok: true }
}

async function writeTable(io: CommandIo, store: EditableUserStore, options: ListOptions): Promise<Outcome> {
  const limit = options.limit ?? MOST_TABLE_ROWS
  const shown: ListedViewer[] = []
  let found = 0
  for await (const viewer of chosen(store, options)) {
    found += 1
    if (shown.length < limit) shown.push(viewer)
  }
  if (found === 0) return { ok: true, text: 'No viewers.' }
  io.stdout.write(`${await textTable(io.stdout, TITLES, shown.map(cellsOf))}\n`)
  const count = found === 1 ? '1 viewer' : `${found} viewers`
  const text = found > shown.length ? `The first ${shown.length} of ${count}; --limit and --json show more.` : count
  // Beside the table, not in it: a program that cuts columns is not misled.
  io.stderr.write(`${text}\n`)
  return { ok: true }
}

async function* chosen(store: EditableUserStore, { name, group }: ListOptions): AsyncGenerator<ListedViewer> {
  const part = name === undefined ? '' : usernameKey(name)
  for await (const viewer of store.list()) {
    const isInGroup = group === undefined || viewer.groups.includes(group.normalize('NFC'))
    if (isInGroup && usernameKey(viewer.username).includes(part)) yield viewer
  }
}

function cellsOf({ username, disabled, groups, attributes }: ListedViewer): string[] {
  const pairs = Object.entries(attributes).map(([attribute, value]) => `${attribute}=${value}`)
  return [username, disabled ? 'disabled' : 'active', groups.join(', '), pairs.join(', ')]
}

function positiveWholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Write a whole number above zero.')
  return Number(text)
}
