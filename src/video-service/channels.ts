import { z } from 'zod'
import type { RestApi } from './rest-api.ts'
import { readJson } from './transport.ts'

export interface Channel {
  readonly id: string
  readonly title: string
  /** A slug made of the title. */
  readonly url: string
  readonly tinyUrl: string
}

const ChannelRecord = z
  .object({ id: z.coerce.string().min(1), title: z.string(), url: z.string(), tiny_url: z.string() })
  .transform(({ id, title, url, tiny_url }): Channel => ({ id, title, url, tinyUrl: tiny_url }))

/** Creates a channel of the token's user (specification: "Channel creation"). @throws as Transport. */
export async function createChannel(api: RestApi, title: string, signal?: AbortSignal): Promise<Channel> {
  const answer = await api({ method: 'POST', path: '/users/self/channels.json', form: { title }, signal })
  return readJson(z.object({ channel: ChannelRecord }), answer, 'the new channel').channel
}

/**
 * The channels of the token's user. The specification does not show this call; the emulator has it, and a service that
 * does not answers with a ServiceRefusal or UnexpectedAnswer.
 */
export async function listChannels(api: RestApi, signal?: AbortSignal): Promise<readonly Channel[]> {
  const answer = await api({ method: 'GET', path: '/users/self/channels.json', signal })
  return readJson(z.object({ channels: z.array(ChannelRecord) }), answer, 'the channels').channels
}
