import type { Command } from 'commander'
import { type Config, readSharedStores } from '../../config.ts'
import { addCommand, addGroup, type CommandContext, runCommand } from '../command.ts'
import { faultInRemoval } from '../terminal/confirm.ts'
import { printable } from '../terminal/text.ts'

interface Options {
  readonly json?: boolean
  readonly all?: boolean
  readonly yes?: boolean
}

/** `sessions …`: who is signed in to the login app. */
export function addSessionsCommands(program: Command, context: CommandContext): void {
  const { io } = context
  const group = addGroup(program, 'sessions', 'sessions of the login app, kept in SESSION_STORE_URL')
  addCommand(group, 'end [USERNAME]', 'sign a viewer out, on every device, while the app runs', [
    'viewer-auth sessions end ada@example.com',
    'viewer-auth sessions end --all --yes',
  ])
    .option('--all', 'sign everybody out')
    .option('--yes', 'do not ask')
    .action((username: string | undefined, { json, all, yes }: Options, command: Command) => {
      if ((username === undefined) === (all === undefined)) command.error('error: give a USERNAME, or --all')
      return runCommand(context, json, async () => {
        const { sessionStore } = readSharedStores(io.env)
        const question = 'Sign everybody out?'
        const fault = username === undefined ? await faultInRemoval(io, yes, question) : null
        if (fault !== null) return { ok: false, fault }
        const { ended, text } = await endSessionsOf(sessionStore, username ?? null)
        return { ok: true, text, data: { ended } }
      })
    })
}

/**
 * @param username whose sessions; null ends those of everybody.
 * @returns how many there were, and the sentence that says so.
 */
export async function endSessionsOf(
  sessionStore: Config['sessionStore'],
  username: string | null,
): Promise<{ ended: number; text: string }> {
  // The client of Redis is loaded only here: an import of many viewers has better use for its memory.
  const { endSessions } = await import('../../sessions/end-sessions.ts')
  const ended = await endSessions(sessionStore, username)
  const whose = username === null ? '' : ` of ${printable(username)}`
  return { ended, text: `Ended ${ended === 1 ? '1 session' : `${ended} sessions`}${whose}.` }
}
