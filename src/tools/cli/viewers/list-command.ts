import type { Command } from 'commander'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { ViewerState } from '../../../users/user-store.ts'
import { usernameKey } from '../../../users/viewer-fields.ts'
import { withEditableStore } from '../settings/editable-store.ts'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../terminal/command.ts'
import type { CommandIo } from '../terminal/io.ts'
import { addLimitOption, MOST_TABLE_ROWS, textTable, writeJsonArray } from '../terminal/table.ts'
import { stateOf } from './shown-viewer.ts'
import { type HasViewerFacts, type ViewerFacts, viewerFactsOf } from './viewer-facts.ts'

interface ListOptions {
  readonly json?: boolean
  readonly name?: string
  readonly group?: string
  readonly limit?: number
}

const TITLES = ['User name', 'State', 'Groups', 'Attributes']

export function addViewersListCommand(group: Command, context: CommandContext<HasViewerFacts>): void {
  const command = addCommand(group, 'list', 'list the viewers, sorted by name', [
    'viewer-auth viewers list',
    'viewer-auth viewers list --name @example.com --group staff',
    'viewer-auth viewers list --json > viewers.json',
  ])
  command
    .option('--name <TEXT>', 'only viewers whose user name contains this text, in upper or lower case')
    .option('--group <NAME>', 'only members of this group')
  addLimitOption(command, 'viewers').action((options: ListOptions) =>
    runCommand(context, options.json, () =>
      withEditableStore(context.io, async (store) => {
        const features = await viewerFactsOf(context)
        if (!options.json) return await writeTable(context.io, store, options, features)
        await writeJsonArray(context.io.stdout, rowsOf(store, options, features))
        return { ok: true }
      }),
    ),
  )
}

async function* rowsOf(
  store: EditableUserStore,
  options: ListOptions,
  features: readonly ViewerFacts[],
): AsyncGenerator<object> {
  let left = options.limit ?? Number.POSITIVE_INFINITY
  for await (const known of matching(store, options)) {
    yield { ...known.viewer, state: stateOf(known, Date.now() / 1000, features) }
    left -= 1
    if (left === 0) return
  }
}

async function writeTable(
  io: CommandIo,
  store: EditableUserStore,
  options: ListOptions,
  features: readonly ViewerFacts[],
): Promise<Outcome> {
  const limit = options.limit ?? MOST_TABLE_ROWS
  const shown: ViewerState[] = []
  let total = 0
  for await (const viewer of matching(store, options)) {
    total += 1
    if (shown.length < limit) shown.push(viewer)
  }
  if (total === 0) return { ok: true, text: 'No viewers.' }
  const rows = shown.map((known) => cellsOf(known, features))
  io.stdout.write(`${await textTable(io.stdout, TITLES, rows)}\n`)
  const count = total === 1 ? '1 viewer' : `${total} viewers`
  const text = total > shown.length ? `Showing ${shown.length} of ${count}. Use --limit or --json for more.` : count
  // On standard error, so that a program that reads the table does not read the count as a row.
  io.stderr.write(`${text}\n`)
  return { ok: true }
}

async function* matching(store: EditableUserStore, { name, group }: ListOptions): AsyncGenerator<ViewerState> {
  const part = name === undefined ? '' : usernameKey(name)
  for await (const known of store.list()) {
    const { viewer } = known
    const isInGroup = group === undefined || viewer.groups.includes(group.normalize('NFC'))
    if (isInGroup && usernameKey(viewer.username).includes(part)) yield known
  }
}

function cellsOf(known: ViewerState, features: readonly ViewerFacts[]): string[] {
  const { username, groups, attributes } = known.viewer
  const pairs = Object.entries(attributes).map(([attribute, value]) => `${attribute}=${value}`)
  return [username, stateOf(known, Date.now() / 1000, features), groups.join(', '), pairs.join(', ')]
}
