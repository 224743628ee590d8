import { lookup } from 'node:dns'
import { InvalidArgumentError } from 'commander'
import { Agent, fetch, type Response } from 'undici'
import { readBeginning } from '../request.ts'
import { consumersIn, type FrameOfPage } from './consumers.ts'
import { assumedDocument, documentOf, type FramedDocument, isTrustworthy, srcdocOf } from './framed-document.ts'
import { type FrameElement, type PageHtml, readPageHtml } from './page-html.ts'

/** A page with the frames that its HTML holds. */
export type LoadedPage = Awaited<ReturnType<typeof loadPage>>

const PAGE_TIMEOUT_MS = 8_000
const MAX_BYTES = 2 ** 21
const MAX_REDIRECTS = 10
const MAX_FRAMES = 30
const MAX_DEPTH = 5
const HEADERS = { Accept: 'text/html', 'User-Agent': 'Mozilla/5.0 (compatible; viewer-auth doctor)' }

interface Loaded {
  readonly path: readonly FramedDocument[]
  readonly document: FramedDocument
  readonly status: number
  readonly frames: PageHtml['frames']
  readonly consumers: FrameOfPage['consumers']
  readonly isDownload?: boolean
  readonly leadsAway?: boolean
}
type Load = (address: URL, element: FramedDocument['element'], path: readonly FramedDocument[]) => Promise<Loaded>

/**
 * Loads a page and the frames in its HTML, without cookies and without running scripts.
 * @throws Error if the page does not answer. Its cause may have a code of Node.
 */
export async function loadPage(address: URL, isPlayer: (url: URL) => boolean, signal: AbortSignal) {
  return await withLoader(signal, async (load) => {
    const page = await load(address, null, [])
    const found: Loaded[] = [page]
    let isCut = false
    for (let level = [page], depth = 1; level.length > 0; depth += 1) {
      const inLevel = level.flatMap((parent) => parent.frames.map((frame) => ({ parent, frame })))
      const left = depth > MAX_DEPTH ? 0 : MAX_FRAMES + 1 - found.length
      isCut ||= inLevel.length > left
      const loaded = inLevel.slice(0, left).map(({ parent, frame }) => loadFrame(load, frame, parent, isPlayer))
      level = (await Promise.all(loaded)).filter((frame) => frame !== null)
      found.push(...level)
    }
    const seen = found.filter(({ document }) => isPlayer(document.url))
    // A login app to which the player redirects may answer with an error: another check reports it.
    const isFaulty = ({ status, document }: Loaded) => status >= 400 && document.addresses.length === 1
    const faultyPlayers = seen.filter(isFaulty)
    const players = seen.filter((one) => !isFaulty(one)).map(({ path }) => path)
    // A page may have the origin of the player too: then the player is the frame in it.
    const isInside = (path: readonly FramedDocument[]) => (other: readonly FramedDocument[]) =>
      other.length > path.length && other[path.length - 1] === path.at(-1)
    const innermost = players.filter((path) => !players.some(isInside(path)))
    const frames = found.map(({ document, consumers }) => ({ url: document.url, consumers }))
    return {
      page: page.document,
      status: page.status,
      // Browsers download the page.
      isDownload: page.isDownload === true,
      // A header or the HTML leads to another page.
      leadsAway: page.leadsAway === true,
      faultyPlayers: faultyPlayers.map(({ document: { url }, status }) => ({ url, status })),
      // The path to each player that answers: the page, the documents between, and the player.
      players: innermost,
      frames,
      isCut,
    }
  })
}

/** Loads one address as the last document of a path. Null if there is no answer, or not a sign-in screen. */
export async function loadScreen(address: URL, signal: AbortSignal): Promise<FramedDocument | null> {
  const loaded = await withLoader(signal, (load) => load(address, null, []).catch(() => null))
  return loaded?.status === 200 ? loaded.document : null
}

async function withLoader<T>(signal: AbortSignal, work: (load: Load) => Promise<T>): Promise<T> {
  // As in browsers, all names below localhost are this machine.
  const dispatcher = new Agent({
    connect: {
      lookup: (name, options, done) => lookup(name.endsWith('.localhost') ? 'localhost' : name, options, done),
    },
  })
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PAGE_TIMEOUT_MS)])
  const get = (url: URL) => fetch(url, { redirect: 'manual', headers: HEADERS, dispatcher, signal: limit })
  try {
    return await work((address, element, path) => load(get, address, element, path))
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    await dispatcher.destroy()
  }
}

/** Returns null for a frame that does not answer, unless it is the player: then only its address counts. */
async function loadFrame(
  load: Load,
  { content, ...element }: FrameElement,
  { document: parent, path }: Loaded,
  isPlayer: (url: URL) => boolean,
): Promise<Loaded | null> {
  if (typeof content === 'string') {
    const { frames, policies } = readPageHtml(content, parent.url)
    const document = srcdocOf(parent, element, policies)
    return { path: [...path, document], document, status: 200, frames, consumers: consumersIn(content) }
  }
  return await load(content, element, path).catch(() => {
    if (!isPlayer(content)) return null
    const document = assumedDocument(content, element)
    return { path: [...path, document], document, status: 0, frames: [], consumers: [] }
  })
}

async function load(
  get: (url: URL) => Promise<Response>,
  address: URL,
  element: FramedDocument['element'],
  path: readonly FramedDocument[],
): Promise<Loaded> {
  const upgrades = path.some(({ policies }) => policies.some((policy) => policy.has('upgrade-insecure-requests')))
  const addresses: FramedDocument['addresses'] & URL[] = [upgrades ? upgraded(address) : address]
  for (let url = addresses[0]; ; ) {
    const answer = await get(url)
    const location = answer.headers.get('location')
    if (answer.status >= 300 && answer.status < 400 && location !== null && URL.canParse(location, url.href)) {
      await answer.body?.cancel()
      if (addresses.length > MAX_REDIRECTS) throw new Error('too many redirects')
      url = upgrades ? upgraded(new URL(location, url)) : new URL(location, url)
      addresses.push(url)
      continue
    }
    const html = await htmlOf(answer)
    const { frames, policies, leadsAway } = readPageHtml(html, url)
    const document = documentOf(addresses, answer.headers, element, policies)
    return {
      path: [...path, document],
      document,
      status: answer.status,
      frames,
      consumers: consumersIn(html),
      isDownload: /^\s*attachment\b/i.test(answer.headers.get('content-disposition') ?? ''),
      leadsAway: leadsAway || answer.headers.has('refresh'),
    }
  }
}

/** With `upgrade-insecure-requests`, browsers ask for the https address instead. */
function upgraded(url: URL): URL {
  return isTrustworthy(url) ? url : new URL(url.href.replace(/^http:/, 'https:'))
}

/** Reads only the beginning of a long page. */
async function htmlOf(answer: Response): Promise<string> {
  if (/^(text\/html|application\/xhtml\+xml)\b/i.test(answer.headers.get('content-type') ?? '')) {
    return (await (await readBeginning(answer, MAX_BYTES))?.text()) ?? ''
  }
  await answer.body?.cancel()
  return ''
}

/** Reads a repeatable option with the address of a page. */
export function pageAddress(text: string, previous: readonly URL[] = []): URL[] {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) throw new InvalidArgumentError('Use an address with https://.')
  if (url.username !== '' || url.password !== '') {
    throw new InvalidArgumentError('Leave out the user name and the password. The page is loaded without them.')
  }
  return [...previous, url]
}
