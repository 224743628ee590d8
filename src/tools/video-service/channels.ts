import { z } from 'zod'
import type { RestApi } from './rest-api.ts'
import { readJson } from './transport.ts'

export interface Channel {
  readonly id: string
  readonly title: string
  /** A slug of the title. */
  readonly url: string
  readonly tinyUrl: string
}

const ChannelRecord = z
  .object({ id: z.coerce.string().min(1), title: z.string(), url: z.string(), tiny_url: z.string() })
  .transform(({ id, title, url, tiny_url }): Channel => ({ id, title, url, tinyUrl: tiny_url }))

/** Creates a channel that belongs to the user of the token. @throws as Transport. */
export async function createChannel(api: RestApi, title: string, signal?: AbortSignal): Promise<Channel> {
  const answer = await api({ method: 'POST', path: '/users/self/channels.json', form: { title }, signal })
  return readJson(z.object({ channel: ChannelRecord }), answer, 'the new channel').channel
}

/**
 * Lists the channels of the user of the token. The documentation does not show this call.
 * @throws ServiceRefusal or UnexpectedAnswer from a service that does not have this call; other errors as Transport.
 */
export async function listChannels(api: RestApi, signal?: AbortSignal): Promise<readonly Channel[]> {
  const answer = await api({ method: 'GET', path: '/users/self/channels.json', signal })
  return readJson(z.object({ channels: z.array(ChannelRecord) }), answer, 'the channels').channels
}
