import type { Command } from 'commander'
import { readEntryPointSettings } from '../../../../config.ts'
import { decideRef } from '../../../../features/token/ref-address.ts'
import { addCommand, addNotes, type CommandContext, type Outcome, runCommand } from '../../../cli/terminal/command.ts'
import type { CommandIo } from '../../../cli/terminal/io.ts'
import { embedAddress } from '../../../video-service/token/embed-address.ts'
import { chosenTokenEntryPoint } from '../chosen-token-entry-point.ts'
import { USE_ONCE, withServiceKeys } from './token-response.ts'

const ABOUT = `
For a website that knows its viewers ("Embed with Token"): the player then plays at once, without the login app. Needs an
entry point with VIEWER_AUTH=token. REF_ADDRESSES must allow ADDRESS. A backend builds such an address for each
page view with embedAddress(): see src/tools/video-service/token/README.md.`

/** Adds `response embed`, which prints the address of an embed with a token. */
export function addEmbedCommand(group: Command, context: CommandContext): void {
  const command = addCommand(
    group,
    'embed <ADDRESS> <VIEWER>',
    'print the address of an embed with a token of a viewer',
    ['viewer-auth response embed https://video.example/embed/1002 ada@example.com'],
  )
  addNotes(command, ABOUT)
    .option('--entry-point <NAME>', 'the name of an entry point (default: the only one, or default)')
    .action((address: string, viewer: string, options: { json?: boolean; entryPoint?: string }) =>
      runCommand(context, options.json, () => embed(context.io, address, viewer, options.entryPoint)),
    )
}

async function embed(io: CommandIo, address: string, viewer: string, name: string | undefined): Promise<Outcome> {
  const entryPoint = chosenTokenEntryPoint(readEntryPointSettings(io.env), name)
  const { contentKey, refAddresses: allowed } = entryPoint
  const decision = decideRef(address, allowed)
  if (!decision.ok) return { ok: false, fault: `ADDRESS ${decision.reason}. See REF_ADDRESSES.` }
  return await withServiceKeys(io, entryPoint, async ([serviceKey]) => {
    const withToken = await embedAddress(address, viewer, { contentKey, serviceKey, allowed }, Date.now() / 1000)
    io.stderr.write(USE_ONCE)
    return { ok: true, text: withToken, data: { address: withToken } }
  })
}
