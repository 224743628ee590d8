import type { Command } from 'commander'
import { type Config, readSharedStores } from '../../../config.ts'
import type { Change, EditableUserStore } from '../../../users/editable-user-store.ts'
import type { Viewer } from '../../../users/user-store.ts'
import { viewerExists } from '../../../users/viewer-changes.ts'
import { faultInViewer } from '../../../users/viewer-fields.ts'
import { addInvited } from '../../features/account/add-invited.ts'
import { addViewersInviteCommand } from '../../features/account/invite-command.ts'
import { byGroup } from '../../features/account-end/by-group.ts'
import { addViewersEndCommands } from '../../features/account-end/end-commands.ts'
import { addViewersPasskeysCommands } from '../../features/passkeys/passkeys-command.ts'
import { passkeysNote } from '../../features/passkeys/passkeys-note.ts'
import { addCommand, type CommandContext, messageOf, type Outcome, runCommand } from '../command.ts'
import { withEditableStore } from '../settings/editable-store.ts'
import { addViewerOptions, type ViewerOptions } from '../settings/viewer-options.ts'
import { confirmRemoval } from '../terminal/confirm.ts'
import { readNewPassword } from '../terminal/read-password.ts'
import { printable } from '../terminal/text.ts'
import { addViewersExportCommand } from './export-command.ts'
import { addViewersImportCommand } from './import-command.ts'
import { addViewersListCommand } from './list-command.ts'
import { addViewersMigrateCommand } from './migrate-command.ts'
import { endSessionsOf } from './sessions-command.ts'
import { addViewersShowCommand } from './show-command.ts'
import { addViewersUnlockCommand } from './unlock-command.ts'
import { addPutOutNotes } from './who-is-in/put-out-notes.ts'

interface Options {
  readonly json?: boolean
  readonly yes?: boolean
}

/** Adds a viewer without asking for a password, if its options say so. */
interface AddWithoutPassword {
  readonly example: string
  addOptions(command: Command): Command
  isChosen(options: object): boolean
  add(context: CommandContext, store: EditableUserStore, viewer: Viewer, options: object): Promise<Outcome>
}

const WITHOUT_PASSWORD: readonly AddWithoutPassword[] = [
  addInvited, //
]

/** In the order of the help. */
const COMMANDS: readonly ((group: Command, context: CommandContext) => void)[] = [
  addAddCommand,
  addViewersImportCommand,
  addViewersExportCommand,
  addViewersInviteCommand,
  addViewersListCommand,
  addViewersShowCommand,
  addSetPasswordCommand,
  addChangeCommands,
  addViewersEndCommands,
  addViewersPasskeysCommands,
  addViewersUnlockCommand,
  addViewersMigrateCommand,
  addPutOutNotes,
]

const setDisabled = (isDisabled: boolean) => (store: EditableUserStore, username: string) =>
  store.setDisabled(username, isDisabled)
const CHANGES = [
  ['disable', 'stop a viewer from signing in and from using a session', 'Disabled', setDisabled(true)],
  ['enable', 'let a disabled viewer sign in again', 'Enabled', setDisabled(false)],
  ['remove', 'remove a viewer; this cannot be undone', 'Removed', (store, username) => store.remove(username)],
] as const satisfies readonly (readonly [string, string, string, ReturnType<typeof setDisabled>])[]

interface ChangeOfOne {
  readonly name: string
  readonly done: string
  readonly change: ReturnType<typeof setDisabled>
  one(username: string, options: Options): Promise<void>
}
/** Options that change many viewers. */
const MANY: readonly ((command: Command, context: CommandContext, work: ChangeOfOne) => void)[] = [
  byGroup, //
]

/** Sentences after a new password, such as one about another way to sign in. */
const NOTES: readonly ((store: EditableUserStore, username: string) => Promise<string | null>)[] = [
  passkeysNote, //
]

/** Adds `viewers …`, for stores that this app can change. */
export function addViewersCommands(group: Command, context: CommandContext): void {
  for (const add of COMMANDS) add(group, context)
}

function addAddCommand(group: Command, context: CommandContext): void {
  const command = addCommand(group, 'add <USERNAME>', 'add a viewer, with a password from a prompt or standard input', [
    'viewer-auth viewers add ada@example.com',
    'viewer-auth viewers add ada@example.com --group staff --group press --attribute department=Research',
    ...WITHOUT_PASSWORD.map(({ example }) => example),
    'printf %s "$PASSWORD" | viewer-auth viewers add ada@example.com --json',
  ])
  const withWays = WITHOUT_PASSWORD.reduce((extended, way) => way.addOptions(extended), command)
  addViewerOptions(withWays, 'of the viewer').action(
    (username: string, { json, group: groups = [], attribute: attributes = {}, ...options }: Options & ViewerOptions) =>
      runCommand(context, json, () =>
        withEditableStore(context.io, async (store, contextWords) => {
          const viewer = { username, groups, attributes }
          // Checked before the prompt, so that the user need not type the password again.
          const fault = faultInViewer(viewer)
          if (fault !== null) return { ok: false, fault }
          const known = await store.show(username)
          if (known.ok) return viewerExists(known.viewer)
          const other = WITHOUT_PASSWORD.find(({ isChosen }) => isChosen(options))
          if (other) return await other.add(context, store, viewer, options)
          const read = await readNewPassword(context.io, username, contextWords)
          return read.ok ? outcomeOf(await store.add(viewer, read.password), 'Added') : read
        }),
      ),
  )
}

function addSetPasswordCommand(group: Command, context: CommandContext): void {
  addCommand(group, 'set-password <USERNAME>', 'set a new password for a viewer', [
    'viewer-auth viewers set-password ada@example.com',
    'viewer-auth viewers set-password ada@example.com --end-sessions',
    'printf %s "$PASSWORD" | viewer-auth viewers set-password ada@example.com',
  ])
    .option('--end-sessions', 'also delete the sessions, which the app refuses from now on, and count them')
    .action((username: string, { json, endSessions }: Options & { readonly endSessions?: boolean }) =>
      runCommand(context, json, () =>
        withEditableStore(context.io, async (store, contextWords) => {
          const sessionStore = endSessions ? readSharedStores(context.io.env).sessionStore : null
          const known = await store.show(username)
          if (!known.ok) return known
          const read = await readNewPassword(context.io, known.viewer.username, contextWords)
          if (!read.ok) return read
          const done = outcomeOf(await store.setPassword(username, read.password), 'Set a new password for')
          const changed = await withNotes(done, store, username)
          return changed.ok && sessionStore
            ? await withSessionsEnded(changed, sessionStore, known.viewer.username)
            : changed
        }),
      ),
    )
}

async function withNotes(changed: Outcome, store: EditableUserStore, username: string): Promise<Outcome> {
  if (!changed.ok) return changed
  // The password is set already: a failure here is not a failure of the command.
  const notes = await Promise.all(NOTES.map((note) => note(store, username).catch(() => null)))
  return { ...changed, text: [changed.text, ...notes.filter((note) => note !== null)].join('\n') }
}

async function withSessionsEnded(
  changed: Extract<Outcome, { ok: true }>,
  sessionStore: Config['sessionStore'],
  username: string,
): Promise<Outcome> {
  try {
    const { ended, text } = await endSessionsOf(sessionStore, username, false)
    return { ok: true, text: `${changed.text}\n${text}`, data: { ...changed.data, ended } }
  } catch (error) {
    return {
      ok: false,
      fault: `The new password is set, but the sessions of the viewer could not be ended. ${messageOf(error)}`,
    }
  }
}

function addChangeCommands(group: Command, context: CommandContext): void {
  for (const [name, summary, done, change] of CHANGES) {
    const one = (username: string, { json, yes }: Options) =>
      runCommand(context, json, () =>
        withEditableStore(context.io, async (store) => {
          const known = await store.show(username)
          if (!known.ok) return known
          const question = `Remove the viewer ${known.viewer.username}? This cannot be undone.`
          const confirmation = await confirmRemoval(context.io, yes || name !== 'remove', question)
          return confirmation.ok ? outcomeOf(await change(store, username), done) : confirmation
        }),
      )
    const command = addCommand(group, `${name} <USERNAME>`, summary, [`viewer-auth viewers ${name} ada@example.com`])
    if (name === 'remove') command.option('--yes', 'do not ask')
    command.action(one)
    for (const addMany of MANY) addMany(command, context, { name, done, one, change })
  }
}

function outcomeOf(change: Change, done: string): Outcome {
  if (!change.ok) return change
  return { ok: true, text: `${done} ${printable(change.viewer.username)}.`, data: change.viewer }
}
