import type { Command } from 'commander'
import { type Config, readSharedStores } from '../../config.ts'
import { addCommand, type CommandContext, runCommand } from '../command.ts'
import { confirmRemoval } from '../terminal/confirm.ts'
import { printable } from '../terminal/text.ts'

interface Options {
  readonly json?: boolean
  readonly all?: boolean
  readonly yes?: boolean
}

/** Adds `sessions end`. */
export function addSessionsCommands(group: Command, context: CommandContext): void {
  const { io } = context
  addCommand(group, 'end [USERNAME]', 'sign a viewer out on all devices, while the app runs', [
    'viewer-auth sessions end ada@example.com',
    'viewer-auth sessions end --all --yes',
  ])
    .option('--all', 'sign all viewers out')
    .option('--yes', 'do not ask')
    .action((username: string | undefined, { json, all, yes }: Options, command: Command) => {
      if ((username === undefined) === (all === undefined)) command.error('error: give either a USERNAME or --all')
      return runCommand(context, json, async () => {
        const { sessionStore } = readSharedStores(io.env)
        if (username === undefined) {
          const confirmation = await confirmRemoval(io, yes, 'Sign all viewers out?')
          if (!confirmation.ok) return confirmation
        }
        const { ended, text } = await endSessionsOf(sessionStore, username ?? null)
        return { ok: true, text, data: { ended } }
      })
    })
}

/**
 * Ends the sessions of one viewer, or with null the sessions of all viewers.
 * @returns the number of ended sessions, and a message with it.
 */
export async function endSessionsOf(
  sessionStore: Config['sessionStore'],
  username: string | null,
): Promise<{ ended: number; text: string }> {
  // Loaded late, so that `viewers import` does not load the Redis client.
  const { endSessions } = await import('../../sessions/end-sessions.ts')
  const ended = await endSessions(sessionStore, username)
  const owner = username === null ? '' : ` of ${printable(username)}`
  return { ended, text: `Ended ${ended === 1 ? '1 session' : `${ended} sessions`}${owner}.` }
}
