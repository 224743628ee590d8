import type { Config } from '../../../../config.ts'
import type { HashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { orUndefined } from '../../../../errors.ts'
import { addressOf } from '../../settings/chosen-entry-point.ts'
import { checkConsumer } from '../app/addresses.ts'
import { type Finding, failure, findingOf, ok, unknown } from '../finding.ts'
import { shown } from './framed-document.ts'

/** A frame of a page, as far as its HTML tells where responses go. */
export interface FrameOfPage {
  readonly url: URL
  /** The values of `hashConsumer` in its HTML. */
  readonly consumers: readonly URL[]
}

/** Folders of pages that need a response of their own. */
const CONSUMER_FOLDER = /\/(?:chat|combined(?:-embed)?|qna|socialstream)\//

/** Finds the values of `hashConsumer` in the HTML or the settings of a frame. */
export function consumersIn(html: string): URL[] {
  const values = [...html.matchAll(/hashConsumer(?:=|%3D)([^"'&<>\s\\]+)/gi)].map(([, value = '']) => value)
  const texts = values.flatMap((value) => orUndefined(() => decodeURIComponent(value)) ?? [])
  return [...new Set(texts)].flatMap((text) => (/^https?:/.test(text) && URL.canParse(text) ? [new URL(text)] : []))
}

/** Tries the consumers that the frames of a page name: a chat, Q&A or combined embed needs a response of its own. */
export async function* checkPageConsumers(
  config: Config,
  entryPoints: readonly HashEntryPoint[],
  frames: readonly FrameOfPage[],
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const consumers = new Map(frames.flatMap((frame) => frame.consumers).map((url) => [url.href, url]))
  for (const entryPoint of entryPoints) {
    for (const consumer of consumers.values()) {
      const finding = await tryConsumer(config, entryPoint, consumer, signal)
      // The consumer may belong to another entry point.
      const isUndecided = entryPoints.length > 1 && finding.state !== 'ok'
      yield findingOf(config, entryPoint, isUndecided ? { ...finding, state: 'unknown' } : finding)
    }
  }
  if (entryPoints.some((entryPoint) => entryPoint.consumers.length > 0)) return
  const origins = entryPoints.map(({ playerAddress }) => playerAddress.origin)
  for (const { url } of frames.filter((frame) => frame.consumers.length === 0)) {
    if (!origins.includes(url.origin) || !CONSUMER_FOLDER.test(url.pathname)) continue
    yield unknown(
      'page-consumer-unseen',
      `The page has ${shown(url)}, which probably needs a response of its own, but HASH_CONSUMERS is empty. Ask the video service for its return address, and add it.`,
    )
  }
}

function tryConsumer(config: Config, entryPoint: HashEntryPoint, consumer: URL, signal: AbortSignal): Promise<Finding> {
  const prefix = consumer.origin + consumer.pathname.replace(/[^/]*$/, '')
  const missing = failure(
    'page-consumer-missing',
    `A chat, Q&A or combined embed of the page asks for a response at ${shown(consumer)}, and the app refuses it: viewers see "Something is wrong with this link". Add ${prefix} or a folder above it to HASH_CONSUMERS, and restart the app.`,
  )
  const allowed = ok('page-consumer', `The app sends viewers to ${shown(consumer)}, which the page uses.`)
  const refusal = (status: number) => (status === 400 ? missing : null)
  return checkConsumer(addressOf(config, entryPoint), consumer, refusal, allowed, signal)
}
