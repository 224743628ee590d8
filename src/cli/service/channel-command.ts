import type { Command } from 'commander'
import { createChannel, listChannels } from '../../video-service/channels.ts'
import { addCommand, type CommandContext, runCommand } from '../command.ts'
import { textTable } from '../terminal/table.ts'
import { printable } from '../terminal/text.ts'
import { warnIfOutcomeUnknown, withService } from './service.ts'

interface Options {
  readonly json?: boolean
}

/** Adds `channel …`, for the channels of the owner of the client id. */
export function addChannelCommands(group: Command, context: CommandContext): void {
  const { io } = context
  addCommand(group, 'create <TITLE>', 'create a channel', ['viewer-auth channel create "Town hall"']).action(
    (title: string, { json }: Options) =>
      runCommand(context, json, () =>
        withService(io, async ({ api, apiToken, signal }) => {
          // The token comes first: if that request fails, certainly no channel was created.
          await apiToken(signal)
          const warning = 'The channel may have been created. Check with channel list'
          const channel = await warnIfOutcomeUnknown(warning, () => createChannel(api, title, signal))
          return {
            ok: true,
            text: `Created channel ${printable(channel.id)}: ${printable(channel.tinyUrl)}`,
            data: channel,
          }
        }),
      ),
  )
  addCommand(group, 'list', 'list the channels with their ids', [
    'viewer-auth channel list',
    'viewer-auth channel list --json',
  ]).action(({ json }: Options) =>
    runCommand(context, json, () =>
      withService(io, async ({ api, signal }) => {
        const channels = await listChannels(api, signal)
        const rows = channels.map(({ id, title, url, tinyUrl }) => [id, title, url, tinyUrl])
        const text = rows.length === 0 ? 'No channels.' : undefined
        if (!json && rows.length > 0) {
          io.stdout.write(`${await textTable(io.stdout, ['Id', 'Title', 'Name in addresses', 'Short link'], rows)}\n`)
        }
        return { ok: true, data: channels, ...(text === undefined ? {} : { text }) }
      }),
    ),
  )
}
