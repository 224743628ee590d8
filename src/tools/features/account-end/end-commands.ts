import { type Command, InvalidArgumentError } from 'commander'
import { ConfigError } from '../../../errors.ts'
import { accountEndOf, endNamesIn } from '../../../features/account-end/account-end.ts'
import type { ZonedTime } from '../../../settings/times.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { Change } from '../../../users/viewer-editor.ts'
import { withEditableStore } from '../../cli/settings/editable-store.ts'
import type { ViewerOptions } from '../../cli/settings/viewer-options.ts'
import { addCommand, addNotes, type CommandContext, type Outcome, runCommand } from '../../cli/terminal/command.ts'
import { printable } from '../../cli/terminal/text.ts'
import type { HasViewerFacts } from '../../cli/viewers/viewer-facts.ts'
import { CHANGES, type ChangeOptions, changeOne } from '../../cli/viewers/viewers-command.ts'
import { byGroup } from './by-group.ts'
import { addForgetEndedCommand } from './forget/forget-ended.ts'
import { changesFor, readUntil, understood } from './until.ts'

interface AddOptions extends ViewerOptions {
  readonly until?: End
}

/** An end on the command line. */
interface End {
  /** Null for `never`. */
  readonly end: ZonedTime | null
}

const UNTIL = [
  '--until <TIME>',
  'when the account ends: a day (its end) or a time, such as 2026-11-30 or 2026-11-30T20:15, or never',
] as const
const ABOUT = `An account ends for responses, tokens and returns, also while it has a session. A time without an offset
is in the time zone of this machine, or of TZ. The end is the attribute accountEndsAt.`

/** Adds `viewers set-end`, `--until` to `viewers add`, and `--group` to the commands that change one viewer. */
export function addViewersEndCommands(group: Command, context: CommandContext<HasViewerFacts>): void {
  for (const command of group.commands) {
    const change = CHANGES.find(({ name }) => name === command.name())
    if (command.name() === 'add') addUntil(command, context)
    if (change)
      byGroup<ChangeOptions>(command, context, { ...change, one: (...given) => changeOne(context, change, ...given) })
  }
  addSetEndCommand(group, context)
  addForgetEndedCommand(group, context)
}

/** The option gives the new viewer an attribute, so that the command itself need not know it. */
function addUntil(add: Command, { io }: CommandContext): void {
  add.option(...UNTIL, parseUntil).hook('preAction', (command) => {
    const { until, attribute = {} } = command.opts<AddOptions>()
    const isGiven = endNamesIn(attribute).length > 0
    if (isGiven && until) command.error('error: give either --until or the attribute accountEndsAt')
    if (accountEndOf(attribute) === 'unreadable') {
      command.error('error: the attribute accountEndsAt must be a time with a zone: use --until')
    }
    if (!until) return
    io.stderr.write(`${understood(until.end)}\n`)
    if (until.end !== null) command.setOptionValue('attribute', { ...attribute, ...changesFor({}, until.end) })
  })
}

function addSetEndCommand(group: Command, context: CommandContext): void {
  interface Options {
    readonly json?: boolean
    readonly until: End
  }
  const one = (username: string, options: Options) =>
    runCommand(context, options.json, () =>
      withEditableStore(context.io, async (store): Promise<Outcome> => {
        const changed = await setEnd(store, username, options.until.end)
        if (!changed.ok) return changed
        const text = `Set the end of ${printable(changed.viewer.username)}. ${understood(options.until.end)}`
        return { ok: true, text, data: changed.viewer }
      }),
    )
  const command = addCommand(group, 'set-end <USERNAME>', 'set when an account ends', [
    'viewer-auth viewers set-end ada@example.com --until 2026-11-30',
    'viewer-auth viewers set-end ada@example.com --until never',
  ])
  command.requiredOption(...UNTIL, parseUntil).action(one)
  byGroup(command, context, {
    name: 'set-end',
    done: 'Set the end of',
    ask: 'Set the end of',
    example: ' --until 2026-11-30',
    one,
    change: (store, username, { until }) => setEnd(store, username, until.end),
    noteOf: ({ until }) => understood(until.end),
  })
  addNotes(command, ABOUT)
}

/** Sets when an account ends. @param end null for never. */
async function setEnd(store: EditableUserStore, username: string, end: ZonedTime | null): Promise<Change> {
  const known = await store.show(username)
  if (!known.ok) return known
  const attributes = changesFor(known.viewer.attributes, end)
  const unchanged = { passwordHash: null, groups: undefined, disabled: undefined }
  await store.importBatch([{ username, ...unchanged, attributes }], 'update')
  return await store.show(username)
}

function parseUntil(text: string): End {
  try {
    return { end: readUntil('It', text) }
  } catch (error) {
    if (error instanceof ConfigError) throw new InvalidArgumentError(error.message)
    throw error
  }
}
