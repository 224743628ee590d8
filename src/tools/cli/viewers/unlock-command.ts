import { isIP } from 'node:net'
import { type Command, InvalidArgumentError } from 'commander'
import { readSharedStores } from '../../../config.ts'
import type { UnlockResult, UnlockTarget } from '../../../sign-in-limits/failed-sign-ins.ts'
import { stores } from '../../../stores.ts'
import { addCommand, type CommandContext, runCommand } from '../terminal/command.ts'
import type { CommandIo } from '../terminal/io.ts'
import { printable } from '../terminal/text.ts'

interface Options {
  readonly json?: boolean
  readonly address?: string
}

/** Adds `viewers unlock`, for viewers who mistyped the password too often, or whose account is under attack. */
export function addViewersUnlockCommand(group: Command, context: CommandContext): void {
  addCommand(group, 'unlock [USERNAME]', 'reset the failed sign-ins of a viewer or an address', [
    'viewer-auth viewers unlock ada@example.com',
    'viewer-auth viewers unlock --address 198.51.100.7',
  ])
    .option('--address <IP>', 'reset the failed sign-ins of this address, which many viewers may share', parseAddress)
    .action((username: string | undefined, { json, address }: Options, command: Command) => {
      if (username === undefined && address === undefined) command.error('error: give a user name, or --address')
      return runCommand(context, json, async () => {
        const unlocked = await unlockSignIns(context.io.env, { username, address })
        const data = {
          ...(username !== undefined && { username, unlocked: unlocked.viewer }),
          ...(address !== undefined && { address, addressUnlocked: unlocked.address }),
        }
        return { ok: true, text: textOf({ username, address }, unlocked), data }
      })
    })
}

/** Resets the failed sign-ins of a viewer, of an address, or of both. */
export async function unlockSignIns(env: CommandIo['env'], target: UnlockTarget): Promise<UnlockResult> {
  const counts = await stores.counts(readSharedStores(env).limitsStore)
  return await counts.unlock(target)
}

function parseAddress(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('It must be an IP address, such as 198.51.100.7.')
  return text
}

function textOf({ username, address }: UnlockTarget, unlocked: UnlockResult): string {
  const lines: string[] = []
  if (username !== undefined) lines.push(lineOf(username, unlocked.viewer))
  if (address !== undefined) lines.push(lineOf(address, unlocked.address))
  return lines.join('\n')
}

function lineOf(name: string, wasCounted: boolean): string {
  return wasCounted
    ? `Unlocked ${printable(name)}. The count of failed sign-ins is zero again.`
    : `Nothing to unlock: ${printable(name)} has no failed sign-ins.`
}
