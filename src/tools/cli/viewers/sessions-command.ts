import type { Command } from 'commander'
import { readSharedStores } from '../../../config.ts'
import { createEndedSignIns } from '../../../sign-in-limits/ended-sign-ins.ts'
import type { SharedStores } from '../../../stores/store-kind.ts'
import { stores } from '../../../stores.ts'
import { guestWayOf } from '../guest-ways.ts'
import type { HasEventTimes } from '../settings/event-times.ts'
import { addCommand, type CommandContext, type Definition, runCommand } from '../terminal/command.ts'
import { confirmRemoval } from '../terminal/confirm.ts'
import { counted, printable } from '../terminal/text.ts'
import { addSessionsList } from './who-is-in/sessions-list.ts'

interface Options {
  readonly json?: boolean
  readonly all?: boolean
  readonly yes?: boolean
}

/** Further commands. */
// biome-ignore format: one item a line
const COMMANDS_OF_PARTS: readonly Definition<HasEventTimes>[] = [
  addSessionsList,
]

/** Adds `sessions …`. */
export async function addSessionsCommands(group: Command, context: CommandContext<HasEventTimes>): Promise<void> {
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
        const shared = readSharedStores(io.env)
        if (username !== undefined) {
          const { text, ...data } = await endSessionsOf(shared, username, true)
          return { ok: true, text, data }
        }
        const confirmation = await confirmRemoval(io, yes, 'Sign all viewers out?')
        if (!confirmation.ok) return confirmation
        const ended = await (await stores.sessions(shared.sessionStore)).endAll()
        return { ok: true, text: `Ended ${counted(ended, 'session')}.`, data: { ended } }
      })
    })
  for (const add of COMMANDS_OF_PARTS) await add(group, context)
}

/**
 * Ends the sessions of a user name, and the sign-ins that wait.
 * @param includesProviders true to end also the sessions of viewers of other systems with this name.
 * @returns the numbers of ended sessions, and a message with them. Those of guests are by their way in.
 */
export async function endSessionsOf(
  { sessionStore, limitsStore }: SharedStores,
  username: string,
  includesProviders: boolean,
): Promise<{ ended: number; endedOfProviders: number; endedOfGuests: Record<string, number>; text: string }> {
  const sessions = await stores.sessions(sessionStore)
  const stored = includesProviders ? await sessions.list(username) : []
  const ways = stored.flatMap(({ provider }) => (provider && guestWayOf(provider.issuer)) ?? [])
  const endedOfGuests: Record<string, number> = {}
  for (const way of ways) endedOfGuests[way] = (endedOfGuests[way] ?? 0) + 1
  const ofOthers = includesProviders ? await sessions.end(username, true) : 0
  const ended = ofOthers + (await sessions.end(username, false))
  const warnings = await endSignIns(limitsStore, username)
  // A session may begin or end between the two steps.
  const endedOfProviders = Math.max(0, ofOthers - ways.length)
  const parts = [
    ...(endedOfProviders > 0 ? [`${endedOfProviders} of them from an identity provider`] : []),
    ...Object.entries(endedOfGuests).map(([way, count]) => `${count} of them by ${way}`),
  ]
  const text = `${[`Ended ${counted(ended, 'session')} of ${printable(username)}`, ...parts].join(', ')}.${warnings}`
  return { ended, endedOfProviders, endedOfGuests, text }
}

/** Ends the sign-ins of viewers who wait, or answer a question. @returns the warnings of the store. */
async function endSignIns(limitsStore: SharedStores['limitsStore'], username: string): Promise<string> {
  const warnings: string[] = []
  const nowSeconds = () => Date.now() / 1000
  const log = { info: () => {}, warn: (message: unknown) => warnings.push(` ${message}`) }
  const counters = await (await stores.counts(limitsStore)).open({ nowSeconds, log })
  try {
    await createEndedSignIns(counters.openCounter).end(username, nowSeconds())
  } finally {
    await counters.close()
  }
  return warnings.join('')
}
