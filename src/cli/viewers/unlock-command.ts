import type { Command } from 'commander'
import { readSharedStores } from '../../config.ts'
import { addCommand, type CommandContext, runCommand } from '../command.ts'
import { printable } from '../terminal/text.ts'

/** Adds `viewers unlock`, for viewers who mistyped the password too often, or whose account is under attack. */
export function addViewersUnlockCommand(group: Command, context: CommandContext): void {
  addCommand(
    group,
    'unlock <USERNAME>',
    'reset the failed sign-ins of a viewer, so that the viewer need not wait; only if they are counted in Redis',
    ['viewer-auth viewers unlock ada@example.com'],
  ).action((username: string, { json }: { json?: boolean }) =>
    runCommand(context, json, async () => {
      // Loaded late, so that `viewers import` does not load the Redis client.
      const { unlockViewer } = await import('../../sign-in-limits/unlock.ts')
      const wasCounted = await unlockViewer(readSharedStores(context.io.env).limitsStore, username)
      const text = wasCounted
        ? `Unlocked ${printable(username)}. The count of failed sign-ins is zero again.`
        : `Nothing to unlock: ${printable(username)} has no failed sign-ins.`
      return { ok: true, text, data: { username, unlocked: wasCounted } }
    }),
  )
}
