import type { Command } from 'commander'
import { type Channel, createChannel, listChannels } from '../../video-service/channels.ts'
import { ServiceRefusal } from '../../video-service/service-errors.ts'
import { type ActResult, addCommand, type CommandContext, type Outcome, runCommand } from '../terminal/command.ts'
import { textTable } from '../terminal/table.ts'
import { printable } from '../terminal/text.ts'
import { type AccessOptions, accessOf, addAccessOptions } from './access-token/token-choice.ts'
import { type Service, warnIfOutcomeUnknown, withService } from './service.ts'

const NO_LIST = 'The service does not list its channels. Its website shows the id of each channel.'

interface Options extends AccessOptions {
  readonly json?: boolean
}

/** Adds `channel …`, for the channels of the user of the token: by default, the owner of the client. */
export function addChannelCommands(group: Command, context: CommandContext): void {
  const { io } = context
  addAccessOptions(
    addCommand(group, 'create <TITLE>', 'create a channel', [
      'viewer-auth channel create "Town hall"',
      'viewer-auth channel create "Town hall" --grant password --username studio',
    ]),
  ).action((title: string, options: Options, command: Command) => {
    const access = accessOf(options, command)
    const create = async ({ api, apiToken, signal }: Service): Promise<Outcome> => {
      // The token comes first: if that request fails, certainly no channel was created.
      await apiToken(signal)
      const warning = 'The channel may have been created. Check with channel list'
      const channel = await warnIfOutcomeUnknown(warning, () => createChannel(api, title, signal))
      const text = `Created channel ${printable(channel.id)}: ${printable(channel.tinyUrl ?? channel.url)}`
      return { ok: true, text, data: channel }
    }
    return runCommand(context, options.json, () => withService(io, create, access))
  })
  addAccessOptions(
    addCommand(group, 'list', 'list the channels with their ids', [
      'viewer-auth channel list',
      'viewer-auth channel list --json',
    ]),
  ).action((options: Options, command: Command) => {
    const access = accessOf(options, command)
    const list = async (service: Service): Promise<Outcome> => {
      const listed = await ownChannels(service)
      if (!listed.ok) return listed
      const channels = listed.data
      const rows = channels.map(({ id, title, url, tinyUrl }) => [id, title, url, tinyUrl ?? ''])
      const text = rows.length === 0 ? 'No channels.' : undefined
      if (!options.json && rows.length > 0) {
        io.stdout.write(`${await textTable(io.stdout, ['Id', 'Title', 'Name in addresses', 'Short link'], rows)}\n`)
      }
      return { ok: true, data: channels, ...(text === undefined ? {} : { text }) }
    }
    return runCommand(context, options.json, () => withService(io, list, access))
  })
}

/** Lists the channels of the user of the token. */
export async function ownChannels({ api, signal }: Service): Promise<ActResult<readonly Channel[]>> {
  try {
    return { ok: true, data: await listChannels(api, signal) }
  } catch (error) {
    if (error instanceof ServiceRefusal && [404, 405].includes(error.status)) return { ok: false, fault: NO_LIST }
    throw error
  }
}
