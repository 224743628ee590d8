import { z } from 'zod'
import type { RestApi } from './rest-api.ts'
import { UnexpectedAnswer } from './service-errors.ts'
import { readJson } from './transport.ts'

const PATH = '/users/self/channels.json'
const MOST_PAGES = 1_000
const Text = z.string().nullish()

const ChannelRecord = z
  .object({ id: z.coerce.string().min(1), title: Text, url: Text, tiny_url: Text, tinyurl: Text })
  .transform(({ id, title, url, tiny_url, tinyurl }) => ({
    id,
    title: title ?? '',
    /** A slug of the title, or a whole address. Empty if the service sends none. */
    url: url ?? '',
    /** Null if the service sends none: its list of channels may leave it out. */
    tinyUrl: tiny_url ?? tinyurl ?? null,
  }))
export type Channel = Readonly<z.output<typeof ChannelRecord>>
/** The list has its records under `channels` or `channel`: an array, or an object by id. */
const Records = z.union([z.array(ChannelRecord), z.record(z.string(), ChannelRecord).transform(Object.values<Channel>)])
const ChannelList = z
  .object({
    channels: Records.optional(),
    channel: Records.optional(),
    paging: z
      .object({ next: z.object({ href: z.string() }).nullish() })
      .nullish()
      .catch(null),
  })
  .refine(({ channels, channel }) => (channels ?? channel) !== undefined, { path: ['channels'] })

/** Creates a channel that belongs to the user of the token. @throws as Transport. */
export async function createChannel(api: RestApi, title: string, signal?: AbortSignal): Promise<Channel> {
  const answer = await api({ method: 'POST', path: PATH, form: { title }, signal })
  return readJson(z.object({ channel: ChannelRecord }), answer, 'the new channel').channel
}

/**
 * Lists the channels of the user of the token, with a request for each page. The two documents do not show this call.
 * @throws ServiceRefusal or UnexpectedAnswer from a service that does not have this call; other errors as Transport.
 */
export async function listChannels(api: RestApi, signal?: AbortSignal): Promise<readonly Channel[]> {
  const listed: Channel[] = []
  let path: string | null = PATH
  for (let number = 1; path !== null; number += 1) {
    const page: z.output<typeof ChannelList> = readJson(
      ChannelList,
      await api({ method: 'GET', path, signal }),
      'the channels',
    )
    const { channels = page.channel ?? [], paging } = page
    listed.push(...channels)
    path = nextPath(paging?.next?.href, number)
  }
  return listed
}

/** Takes only the page and its size from the link, so that the token goes to no other address. */
function nextPath(href: string | undefined, number: number): string | null {
  if (href === undefined) return null
  const asked = URL.canParse(href, 'https://service.invalid') ? new URL(href, 'https://service.invalid') : null
  if (Number(asked?.searchParams.get('p')) !== number + 1 || number === MOST_PAGES) {
    throw new UnexpectedAnswer(`The link on page ${number} of the channels does not lead to the next page`)
  }
  const size = asked?.searchParams.get('pagesize')
  return `${PATH}?${new URLSearchParams({ p: String(number + 1), ...(size && { pagesize: size }) })}`
}
