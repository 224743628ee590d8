import { type Command, InvalidArgumentError } from 'commander'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { Passkey } from '../../../users/passkeys/passkey-store.ts'
import { withEditableStore } from '../../cli/settings/editable-store.ts'
import {
  addCommand,
  addGroup,
  addNotes,
  type CommandContext,
  type Outcome,
  runCommand,
} from '../../cli/terminal/command.ts'
import { confirmRemoval } from '../../cli/terminal/confirm.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import { textTable } from '../../cli/terminal/table.ts'
import { printable } from '../../cli/terminal/text.ts'

interface Options {
  readonly json?: boolean
  readonly yes?: boolean
}

const TITLES = ['Name', 'Copies', 'Created', 'Last used', 'ID']

/** Adds `viewers passkeys …`. Viewers create passkeys themselves, on the screens of the app. */
export function addViewersPasskeysCommands(group: Command, context: CommandContext): void {
  const passkeys = addGroup(group, 'passkeys', 'the passkeys by which a viewer signs in')
  addCommand(passkeys, 'list <USERNAME>', 'list the passkeys of a viewer, the oldest first', [
    'viewer-auth viewers passkeys list ada@example.com',
  ]).action((username: string, { json }: Options) =>
    runCommand(context, json, () =>
      withEditableStore(context.io, (store) => listPasskeys(context.io, store, username)),
    ),
  )
  const remove = addCommand(passkeys, 'remove', 'remove a passkey, for example of a lost device', [
    'viewer-auth viewers passkeys remove ada@example.com kQ3v',
    'viewer-auth viewers passkeys remove ada@example.com -- -Q3v',
  ])
    .argument('<USERNAME>')
    .argument('<ID>', 'its id, or the first characters if they fit no other', parseId)
    .option('--yes', 'do not ask')
    .action((username: string, id: string, { json, yes }: Options) =>
      runCommand(context, json, () =>
        withEditableStore(context.io, (store) => removePasskey(context.io, store, { username, id, yes })),
      ),
    )
  addNotes(
    remove,
    `Sessions of the viewer go on: see viewer-auth sessions end. The viewer's device still offers the passkey, and the
    app refuses it. Write -- before an ID that begins with a hyphen.`,
  )
}

async function listPasskeys({ stdout }: CommandIo, store: EditableUserStore, username: string): Promise<Outcome> {
  const known = await store.show(username)
  if (!known.ok) return known
  const passkeys = (await store.passkeys.list(username)).map(shownPasskey)
  if (passkeys.length === 0) return { ok: true, text: `${printable(known.viewer.username)} has no passkeys.`, data: [] }
  const rows = passkeys.map(({ name, deviceType, isBackedUp, createdAt, lastUsedAt, id }) => [
    name,
    deviceType === 'singleDevice' ? 'none: one device' : isBackedUp ? 'synchronized' : 'possible, none yet',
    createdAt,
    lastUsedAt ?? 'never',
    id,
  ])
  return { ok: true, text: await textTable(stdout, TITLES, rows), data: passkeys }
}

async function removePasskey(
  io: CommandIo,
  store: EditableUserStore,
  { username, id: typed, yes }: { readonly username: string; readonly id: string; readonly yes: boolean | undefined },
): Promise<Outcome> {
  const known = await store.show(username)
  if (!known.ok) return known
  const owner = printable(known.viewer.username)
  const passkeys = await store.passkeys.list(username)
  const meant = passkeys.filter(({ id }) => id.startsWith(typed))
  const [passkey] = passkeys.filter(({ id }) => id === typed).concat(meant)
  const noSuchPasskey = { ok: false, fault: `${owner} has no passkey with the ID ${typed}.` } as const
  if (passkey === undefined) return noSuchPasskey
  if (meant.length > 1 && passkey.id !== typed) {
    return {
      ok: false,
      fault: `${owner} has ${meant.length} passkeys whose IDs begin with ${typed}. Type more of the ID.`,
    }
  }
  const question = `Remove the passkey ${passkey.name} of ${owner}? This cannot be undone.`
  const confirmation = await confirmRemoval(io, yes, question)
  if (!confirmation.ok) return confirmation
  if (!(await store.passkeys.remove(username, passkey.id))) return noSuchPasskey
  const text = `Removed the passkey ${printable(passkey.name)} of ${owner}. Sessions of the viewer go on.`
  return { ok: true, text, data: { username: known.viewer.username, removed: shownPasskey(passkey) } }
}

/** Returns the fields for `--json`. Times are ISO 8601, in UTC. */
function shownPasskey({ id, name, deviceType, isBackedUp, transports, ...passkey }: Passkey) {
  const { createdAtSeconds, lastUsedAtSeconds } = passkey
  const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString()
  return {
    id,
    name,
    deviceType,
    isBackedUp,
    transports,
    createdAt: isoOf(createdAtSeconds),
    lastUsedAt: lastUsedAtSeconds === null ? null : isoOf(lastUsedAtSeconds),
  }
}

function parseId(text: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new InvalidArgumentError('It must be as viewers passkeys list shows it.')
  return text
}
