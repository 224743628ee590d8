import type { Command } from 'commander'
import { readSharedStores } from '../../config.ts'
import { addCommand, type CommandContext, runCommand } from '../command.ts'
import { printable } from '../terminal/text.ts'

/** `viewers unlock`: for who mistyped too often, or whose account somebody else guesses at. */
export function addViewersUnlockCommand(group: Command, context: CommandContext): void {
  addCommand(
    group,
    'unlock <USERNAME>',
    'forget a viewer’s failed sign-ins, counted in Redis, so that they can try at once',
    ['viewer-auth viewers unlock ada@example.com'],
  ).action((username: string, { json }: { json?: boolean }) =>
    runCommand(context, json, async () => {
      // The client of Redis is loaded only here: an import of many viewers has better use for its memory.
      const { unlockViewer } = await import('../../sign-in-limits/unlock.ts')
      const wasCounted = await unlockViewer(readSharedStores(context.io.env).limitsStore, username)
      const text = wasCounted
        ? `Unlocked ${printable(username)}: the failed sign-ins are forgotten.`
        : `No failed sign-in of ${printable(username)} is counted.`
      return { ok: true, text, data: { username, unlocked: wasCounted } }
    }),
  )
}
