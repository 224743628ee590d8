import { listChannels } from '../../video-service/channels.ts'
import type { RestApi } from '../../video-service/rest-api.ts'
import { nameWords } from '../output/words.ts'

/** Titles of channels by the name that `contentName` returns without titles. Safe for one line. */
export type ContentTitles = ReadonlyMap<string, string>

/** A report does not wait longer for the titles of its channels. */
const TIMEOUT_MS = 5_000
export const NO_TITLES: ContentTitles = new Map()

/** Returns the title of a channel or video, or "Channel 1001" if it is unknown. */
export function contentName(
  contentType: 'live' | 'recorded',
  contentId: string,
  titles: ContentTitles = NO_TITLES,
): string {
  const name = `${contentType === 'live' ? 'Channel' : 'Video'} ${nameWords(contentId)}`
  return titles.get(name) ?? name
}

/**
 * Reads the titles of the channels. A report is complete without them, so there are none after a
 * failure. The documentation shows no way to the titles of videos. Equal titles are followed by the id.
 */
export async function readTitles(api: RestApi, signal: AbortSignal): Promise<ContentTitles> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  const channels = await listChannels(api, inTime).catch(() => [])
  const named = channels.filter(({ title }) => title.trim() !== '')
  const times = Map.groupBy(named, ({ title }) => title)
  return new Map(
    named.map(({ id, title }) => {
      const isUnique = times.get(title)?.length === 1
      return [contentName('live', id), isUnique ? nameWords(title) : `${nameWords(title)} (${nameWords(id)})`]
    }),
  )
}
