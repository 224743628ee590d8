import type { Command } from 'commander'
import { type Config, readSharedStores } from '../../../config.ts'
import { stores } from '../../../stores.ts'
import { addCommand, type CommandContext, runCommand } from '../command.ts'
import { confirmRemoval } from '../terminal/confirm.ts'
import { counted, printable } from '../terminal/text.ts'
import { addSessionsList } from './who-is-in/sessions-list.ts'

interface Options {
  readonly json?: boolean
  readonly all?: boolean
  readonly yes?: boolean
}

/** Further commands. */
const MORE: readonly ((group: Command, context: CommandContext) => void)[] = [
  addSessionsList, //
]

/** Adds `sessions …`. */
export function addSessionsCommands(group: Command, context: CommandContext): void {
  const { io } = context
  addCommand(group, 'end [USERNAME]', 'sign out a viewer on all devices', [
    'viewer-auth sessions end ada@example.com',
    'viewer-auth sessions end --all --yes',
  ])
    .option('--all', 'sign all viewers out')
    .option('--yes', 'do not ask')
    .action((username: string | undefined, { json, all, yes }: Options, command: Command) => {
      if ((username === undefined) === (all === undefined)) command.error('error: give either a USERNAME or --all')
      return runCommand(context, json, async () => {
        const { sessionStore } = readSharedStores(io.env)
        if (username !== undefined) {
          const { text, ...data } = await endSessionsOf(sessionStore, username, true)
          return { ok: true, text, data }
        }
        const confirmation = await confirmRemoval(io, yes, 'Sign all viewers out?')
        if (!confirmation.ok) return confirmation
        const ended = await (await stores.sessions(sessionStore)).endAll()
        return { ok: true, text: `Ended ${counted(ended, 'session')}.`, data: { ended } }
      })
    })
  for (const add of MORE) add(group, context)
}

/**
 * Ends the sessions of a user name.
 * @param includesProviders true to end also the sessions of SSO viewers with this name.
 * @returns the numbers of ended sessions, and a message with them.
 */
export async function endSessionsOf(
  sessionStore: Config['sessionStore'],
  username: string,
  includesProviders: boolean,
): Promise<{ ended: number; endedOfProviders: number; text: string }> {
  const sessions = await stores.sessions(sessionStore)
  const ofProviders = includesProviders ? await sessions.end(username, true) : 0
  const ended = ofProviders + (await sessions.end(username, false))
  const part = ofProviders === 0 ? '' : `, ${ofProviders} of them from an identity provider`
  const text = `Ended ${counted(ended, 'session')} of ${printable(username)}${part}.`
  return { ended, endedOfProviders: ofProviders, text }
}
