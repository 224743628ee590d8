import type { Command } from 'commander'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { Change } from '../../../users/viewer-editor.ts'
import { withEditableStore } from '../../cli/settings/editable-store.ts'
import { type CommandContext, messageOf, type Outcome, runCommand } from '../../cli/terminal/command.ts'
import { confirmRemoval } from '../../cli/terminal/confirm.ts'
import { stopOnInterrupt } from '../../cli/terminal/io.ts'
import { counted, printable } from '../../cli/terminal/text.ts'
import { type ChangeOptions, LEFT_BY_REMOVAL } from '../../cli/viewers/viewers-command.ts'

/** A change that a command makes of one viewer. */
interface ChangeOfOne<O> {
  /** The name of the command. */
  readonly name: string
  /** The words before the viewers, once they are changed. */
  readonly done: string
  /** The words before the viewers in the question, if they differ from the name. */
  readonly ask?: string
  /** The options of the example, besides the group. */
  readonly example?: string
  /** Returns a sentence after the number of changed viewers. */
  noteOf?(options: O): string
  /** The action for one viewer. */
  one(username: string, options: O): Promise<void>
  change(store: EditableUserStore, username: string, options: O): Promise<Change>
}

/** Lets a command change all viewers of a group, with `--group` in place of a user name. */
export function byGroup<O>(command: Command, context: CommandContext, work: ChangeOfOne<O>): void {
  command.registeredArguments[0]?.argOptional()
  if (!command.options.some(({ long }) => long === '--yes')) command.option('--yes', 'do not ask about a group')
  const { name, example = '' } = work
  // Continues the list of examples.
  command.addHelpText('after', `  $ viewer-auth viewers ${name} --group tonight${example}`)
  command
    .option('--group <NAME>', 'all viewers of this group')
    .action(async (username: string | undefined, options: O & ChangeOptions & { readonly group?: string }) => {
      const { group, json, yes } = options
      if ((username === undefined) === (group === undefined)) command.error('error: give either a USERNAME or --group')
      if (username !== undefined) return await work.one(username, options)
      await runCommand(context, json, () =>
        withEditableStore(context.io, (store) =>
          changeGroup(context, store, work, options, { group: (group ?? '').normalize('NFC'), yes }),
        ),
      )
    })
}

async function changeGroup<O>(
  { io }: CommandContext,
  store: EditableUserStore,
  { name, done, ask = `${name[0]?.toUpperCase()}${name.slice(1)}`, change, noteOf }: ChangeOfOne<O>,
  options: O,
  { group, yes }: { readonly group: string; readonly yes: boolean | undefined },
): Promise<Outcome> {
  const members = await membersOf(store, group)
  if (members.length === 0) return { ok: false, fault: `There is no viewer in the group ${JSON.stringify(group)}.` }
  const viewers = `${counted(members.length, 'viewer')} of the group ${printable(group)}`
  const isFinal = name === 'remove' ? ' This cannot be undone.' : ''
  const confirmation = await confirmRemoval(io, yes, `${ask} ${viewers}?${isFinal}`)
  if (!confirmation.ok) return confirmation
  using stop = stopOnInterrupt(io)
  let changed = 0
  try {
    for (const username of members) {
      if (stop.signal.aborted) break
      // Another command may have removed the viewer in the meantime.
      if ((await change(store, username, options)).ok) changed += 1
    }
  } catch (error) {
    return { ok: false, fault: `${messageOf(error)} ${done} ${changed} of ${viewers}. Run the same command again.` }
  }
  const note = name === 'remove' ? ` ${LEFT_BY_REMOVAL}` : noteOf === undefined ? '' : ` ${noteOf(options)}`
  const text = `${done} ${changed === members.length ? '' : `${changed} of `}${viewers}.${note}`
  if (stop.signal.aborted) return { ok: false, fault: `Stopped. ${text} Run the same command again to continue.` }
  return { ok: true, text, data: { group, changed } }
}

/** Returns the names of the members, disabled or not. All are read before the first is changed. */
async function membersOf(store: EditableUserStore, group: string): Promise<string[]> {
  const members: string[] = []
  for await (const { viewer } of store.list()) {
    if (viewer.groups.includes(group)) members.push(viewer.username)
  }
  return members
}
