import { randomUUID } from 'node:crypto'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { type Finding, ok, unknown } from '../finding.ts'
import { request } from '../request.ts'

type Node = DefaultTreeAdapterTypes.Node

/** A page that hands on the response shows a sentence at most. */
const MOST_TEXT = 500
const ON_A_PAGE_FOR_PEOPLE: readonly string[] = ['iframe', 'frame', 'form', 'video', 'table', 'nav']
const WITHOUT_TEXT: readonly string[] = ['title', 'script', 'style', 'noscript', 'template']

/**
 * Judges the answer of PLAYER_RETURN_URL to a request without a response. Only a player can prove that this is its
 * return address. But a page for people, or an address that answers like any other, is hardly one.
 */
export async function judgeReturnPage(url: string, answer: Response, signal: AbortSignal): Promise<Finding> {
  const page = await answer.text()
  const isHtml = /^text\/html\b/.test(answer.headers.get('content-type') ?? '')
  const doubt = isHtml ? doubtAbout(page) : 'it is not an HTML page'
  if (doubt !== null) return doubtful(url, doubt)
  const other = await request(new URL(`/${randomUUID()}`, url).href, signal)
  const isLikeAnyOther = other instanceof Response && other.status === 200 && (await other.text()) === page
  return isLikeAnyOther
    ? doubtful(url, 'every address of this server answers with the same page')
    : ok(
        'address-reachable',
        `PLAYER_RETURN_URL ${url} is reachable, and its page can hand the response to the player.`,
      )
}

function doubtful(url: string, doubt: string): Finding {
  return unknown(
    'return-url-doubtful',
    `PLAYER_RETURN_URL ${url} answers, but not like the return address of a player: ${doubt}. Ask the video service for {player_return_url}.`,
  )
}

/** Returns why a page can hardly hand the response to the player. Null if it can. */
export function doubtAbout(html: string): string | null {
  const left: Node[] = [parse(html)]
  let hasScript = false
  let text = ''
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if ('value' in node) text += node.value.trim()
    const name = 'tagName' in node ? node.tagName : ''
    if (ON_A_PAGE_FOR_PEOPLE.includes(name)) return `it contains a <${name}>, as pages for people do`
    if (name === 'script') hasScript = true
    if ('childNodes' in node && !WITHOUT_TEXT.includes(name)) left.push(...node.childNodes)
  }
  if (!hasScript) return 'it has no script, so it can do nothing with a response'
  return text.length > MOST_TEXT ? 'it shows a long text' : null
}
