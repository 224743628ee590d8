import type { Command } from 'commander'
import { readSharedStores } from '../../../../config.ts'
import { cleanName } from '../../../../typed-text.ts'
import { faultInUsername } from '../../../../users/viewer-fields.ts'
import { withEditableStore } from '../../settings/editable-store.ts'
import { addCommand, type CommandContext, runCommand } from '../../terminal/command.ts'
import { printable } from '../../terminal/text.ts'
import { endSessionsOf } from '../sessions-command.ts'

/** Adds `viewers rename`, as on the page for managers. */
export function addViewersRenameCommand(group: Command, context: CommandContext): void {
  addCommand(group, 'rename <USERNAME> <NEW>', 'change the user name of a viewer, and end the sessions', [
    'viewer-auth viewers rename eva@example.com eve@example.com',
  ]).action((username: string, typed: string, { json }: { readonly json?: boolean }) =>
    runCommand(context, json, () =>
      withEditableStore(context.io, async (store) => {
        const name = cleanName(typed)
        const fault = faultInUsername(name)
        if (fault !== null) return { ok: false, fault: `The new user name ${fault}.` }
        const shared = readSharedStores(context.io.env)
        const renamed = await store.rename(username, name)
        if (!renamed.ok) return renamed
        const { text } = await endSessionsOf(shared, username, false)
        const kept = 'Other stores, reports and logs keep the old name.'
        return {
          ok: true,
          text: `Renamed ${printable(username)} to ${printable(name)}. ${text} ${kept}`,
          data: renamed.viewer,
        }
      }),
    ),
  )
}
