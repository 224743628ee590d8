import type { Command } from 'commander'
import { readSharedStores } from '../../../config.ts'
import type { SharedStores } from '../../../stores/store-kind.ts'
import { cleanName, cleanText } from '../../../typed-text.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { Viewer } from '../../../users/user-store.ts'
import { viewerExists } from '../../../users/viewer-changes.ts'
import type { Change } from '../../../users/viewer-editor.ts'
import { faultInViewer } from '../../../users/viewer-fields.ts'
import { withEditableStore } from '../settings/editable-store.ts'
import type { HasEventTimes } from '../settings/event-times.ts'
import { addViewersMigrateCommand } from '../settings/migrate-command.ts'
import { addViewerOptions, type ViewerOptions } from '../settings/viewer-options.ts'
import {
  addCommand,
  type CommandContext,
  type Definition,
  messageOf,
  type Outcome,
  runCommand,
} from '../terminal/command.ts'
import { confirmRemoval } from '../terminal/confirm.ts'
import { readNewPassword } from '../terminal/read-password.ts'
import { printable } from '../terminal/text.ts'
import { addViewersExportCommand } from './export-command.ts'
import { addViewersForgetCommand, FORGET_HINT } from './forget/forget-person.ts'
import { addViewersImportCommand } from './import-command.ts'
import type { InvitationOptions, Inviting } from './inviting.ts'
import { addViewersListCommand } from './list-command.ts'
import { addViewersRenameCommand } from './manager/rename-command.ts'
import { endSessionsOf } from './sessions-command.ts'
import { addViewersShowCommand } from './show-command.ts'
import { addViewersUnlockCommand } from './unlock-command.ts'
import { type HasViewerFacts, invitingIn, type ViewerFacts, viewerFactsOf } from './viewer-facts.ts'
import { addPutOutNotes } from './who-is-in/put-out-notes.ts'

export interface ChangeOptions {
  readonly json?: boolean
  readonly yes?: boolean
}

interface AddOptions extends ChangeOptions, ViewerOptions, InvitationOptions {
  readonly invite?: boolean
}

// biome-ignore format: one item a line
const LEFT: readonly string[] = [
  'Sessions, counts and what other stores have under this name stay until they end.',
  FORGET_HINT,
]
/** What a removal leaves, and the command for it. */
export const LEFT_BY_REMOVAL = LEFT.join(' ')

/** In the order of the help. */
const COMMANDS: readonly Definition<HasViewerFacts & HasEventTimes>[] = [
  addAddCommand,
  addViewersImportCommand,
  addViewersExportCommand,
  addViewersListCommand,
  addViewersShowCommand,
  addSetPasswordCommand,
  addChangeCommands,
  addViewersRenameCommand,
  addViewersUnlockCommand,
  addViewersMigrateCommand,
  addViewersForgetCommand,
  addPutOutNotes,
]

/** A command that changes one viewer. */
export interface ViewerChange {
  readonly name: 'disable' | 'enable' | 'remove'
  readonly summary: string
  /** The words before the viewer, once the change is made. */
  readonly done: string
  change(store: EditableUserStore, username: string): Promise<Change>
}

export const CHANGES: readonly ViewerChange[] = [
  {
    name: 'disable',
    summary: 'stop a viewer from signing in and from using a session',
    done: 'Disabled',
    change: (store, username) => store.setDisabled(username, true),
  },
  {
    name: 'enable',
    summary: 'let a disabled viewer sign in again',
    done: 'Enabled',
    change: (store, username) => store.setDisabled(username, false),
  },
  {
    name: 'remove',
    summary: 'remove a viewer; this cannot be undone',
    done: 'Removed',
    change: (store, username) => store.remove(username),
  },
]

/** Adds `viewers …`, for stores that this app can change. */
export async function addViewersCommands(
  group: Command,
  context: CommandContext<HasViewerFacts & HasEventTimes>,
): Promise<void> {
  for (const add of COMMANDS) await add(group, context)
}

async function addAddCommand(group: Command, context: CommandContext<HasViewerFacts>): Promise<void> {
  const inviting = invitingIn(await viewerFactsOf(context))
  const command = addCommand(group, 'add <USERNAME>', 'add a viewer, with a password from a prompt or standard input', [
    'viewer-auth viewers add ada@example.com',
    'viewer-auth viewers add ada@example.com --group staff --group press --attribute department=Research',
    ...(inviting ? ['viewer-auth viewers add ada@example.com --invite'] : []),
    'printf %s "$PASSWORD" | viewer-auth viewers add ada@example.com --json',
  ])
  inviting?.addOptions(command.option('--invite', 'send a link by which the viewer sets the password'))
  addViewerOptions(command, 'of the viewer').action(
    (typed: string, { json, group = [], attribute: attributes = {}, ...options }: AddOptions) =>
      runCommand(context, json, () =>
        withEditableStore(context.io, async (store, contextWords) => {
          const username = cleanName(typed)
          const viewer = { username, groups: group.map(cleanText), attributes }
          // Checked before the prompt, so that the user need not type the password again.
          const fault = faultInViewer(viewer)
          if (fault !== null) return { ok: false, fault }
          const known = await store.show(username)
          if (known.ok) return viewerExists(known.viewer)
          if (inviting && options.invite) return await addInvited(context, inviting, store, viewer, options)
          const read = await readNewPassword(context.io, username, contextWords)
          return read.ok ? outcomeOf(await store.add(viewer, read.text), 'Added') : read
        }),
      ),
  )
}

/** Adds a viewer without a password, and invites the viewer to set one. */
function addInvited(
  context: CommandContext,
  inviting: Inviting,
  store: EditableUserStore,
  viewer: Viewer,
  options: InvitationOptions,
): Promise<Outcome> {
  return inviting.withInviter(context, options, async (inviter) => {
    const fault = inviter.faultIn(viewer)
    if (fault !== null) return { ok: false, fault: `The viewer ${fault}. Nothing was changed.` }
    const added = await store.add(viewer, null)
    if (!added.ok) return added
    const invited = await inviter
      .invite(store, viewer.username)
      .catch((error: unknown): Outcome => ({ ok: false, fault: messageOf(error) }))
    if (invited.ok) return { ...invited, text: `Added and invited ${printable(viewer.username)}.` }
    const next = `Added ${printable(viewer.username)}, but without an invitation. ${inviter.advice}`
    return { ok: false, fault: `${invited.fault} ${next}` }
  })
}

function addSetPasswordCommand(group: Command, context: CommandContext<HasViewerFacts>): void {
  addCommand(group, 'set-password <USERNAME>', 'set a new password for a viewer', [
    'viewer-auth viewers set-password ada@example.com',
    'viewer-auth viewers set-password ada@example.com --end-sessions',
    'printf %s "$PASSWORD" | viewer-auth viewers set-password ada@example.com',
  ])
    .option('--end-sessions', 'also delete the sessions, which the app refuses from now on, and count them')
    .action((username: string, { json, endSessions }: ChangeOptions & { readonly endSessions?: boolean }) =>
      runCommand(context, json, () =>
        withEditableStore(context.io, async (store, contextWords) => {
          const shared = endSessions ? readSharedStores(context.io.env) : null
          const known = await store.show(username)
          if (!known.ok) return known
          const read = await readNewPassword(context.io, known.viewer.username, contextWords)
          if (!read.ok) return read
          const done = outcomeOf(await store.setPassword(username, read.text), 'Set a new password for')
          const changed = await withNotes(done, store, username, await viewerFactsOf(context))
          return changed.ok && shared ? await withSessionsEnded(changed, shared, known.viewer.username) : changed
        }),
      ),
    )
}

async function withNotes(
  changed: Outcome,
  store: EditableUserStore,
  username: string,
  features: readonly ViewerFacts[],
): Promise<Outcome> {
  if (!changed.ok) return changed
  // The password is set already: a failure here is not a failure of the command.
  const notes = await Promise.all(
    features.map((one) => one.noteOnNewPassword?.(store, username).catch(() => null) ?? null),
  )
  return { ...changed, text: [changed.text, ...notes.filter((note) => note !== null)].join('\n') }
}

async function withSessionsEnded(
  changed: Extract<Outcome, { ok: true }>,
  shared: SharedStores,
  username: string,
): Promise<Outcome> {
  try {
    const { ended, text } = await endSessionsOf(shared, username, false)
    return { ok: true, text: `${changed.text}\n${text}`, data: { ...changed.data, ended } }
  } catch (error) {
    return {
      ok: false,
      fault: `The new password is set, but the sessions of the viewer could not be ended. ${messageOf(error)}`,
    }
  }
}

function addChangeCommands(group: Command, context: CommandContext): void {
  for (const change of CHANGES) {
    const { name, summary } = change
    const command = addCommand(group, `${name} <USERNAME>`, summary, [`viewer-auth viewers ${name} ada@example.com`])
    if (name === 'remove') command.option('--yes', 'do not ask')
    command.action((username: string, options: ChangeOptions) => changeOne(context, change, username, options))
  }
}

/** Changes one viewer, and prints the outcome. Asks before a removal. */
export function changeOne(
  context: CommandContext,
  { name, done, change }: ViewerChange,
  username: string,
  { json, yes }: ChangeOptions,
): Promise<void> {
  return runCommand(context, json, () =>
    withEditableStore(context.io, async (store) => {
      const known = await store.show(username)
      if (!known.ok) return known
      const question = `Remove the viewer ${known.viewer.username}? This cannot be undone.`
      const confirmation = await confirmRemoval(context.io, yes || name !== 'remove', question)
      return confirmation.ok ? outcomeOf(await change(store, username), done) : confirmation
    }),
  )
}

function outcomeOf(change: Change, done: string): Outcome {
  if (!change.ok) return change
  const rest = done === 'Removed' ? ` ${LEFT_BY_REMOVAL}` : ''
  return { ok: true, text: `${done} ${printable(change.viewer.username)}.${rest}`, data: change.viewer }
}
