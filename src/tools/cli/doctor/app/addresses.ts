import { randomUUID } from 'node:crypto'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import type { Config } from '../../../../config.ts'
import type { HashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { addressOf } from '../../settings/chosen-entry-point.ts'
import { type Finding, failure, ok, PROXY_OR_SETTINGS, unknown } from '../finding.ts'
import { notAllowed } from '../page/policy.ts'
import { guarded, isGuarded, request, requestFrame } from '../request.ts'

type Node = DefaultTreeAdapterTypes.Node

/** A page that hands on the response shows a sentence at most. */
const MOST_TEXT = 500
const ON_A_PAGE_FOR_PEOPLE: readonly string[] = ['iframe', 'frame', 'form', 'video', 'table', 'nav']
const WITHOUT_TEXT: readonly string[] = ['title', 'script', 'style', 'noscript', 'template']

/** Checks the return address of the player, and that the app sends viewers to the consumers of the settings. */
export async function* checkAddresses(
  config: Config,
  entryPoint: HashEntryPoint,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const address = addressOf(config, entryPoint)
  yield await checkReachable('PLAYER_RETURN_URL', entryPoint.playerAddress.url, [404, 410], signal)
  for (const { origin, path } of entryPoint.consumers) {
    // Even 404 is fine, because a consumer may be a folder without a page.
    yield await checkReachable('The consumer', origin + path, [], signal)
    const consumer = origin + path
    const refusal = (status: number) =>
      status === 200
        ? null
        : failure(
            'consumer-refused',
            `${address} refuses the consumer ${consumer} (${status}). The app runs with other settings. Restart it.`,
          )
    const allowed = ok('consumer-allowed', `${address} sends viewers to the consumer ${consumer}.`)
    yield await checkConsumer(address, new URL(consumer), refusal, allowed, signal)
  }
}

/** An address that does not answer is often mistyped, but it may still work in a browser elsewhere. */
export async function checkReachable(
  name: string,
  url: string,
  missingStatuses: readonly number[],
  signal: AbortSignal,
): Promise<Finding> {
  const answer = await request(url, signal)
  if (!(answer instanceof Response)) {
    return unknown('address-unreachable', `${name} ${url} cannot be reached from here. ${answer.text}`)
  }
  const { status } = answer
  if (status === 200 && name === 'PLAYER_RETURN_URL') return await judgeReturnPage(url, answer, signal)
  const target = answer.headers.get('location')
  if (target !== null && URL.canParse(target, url) && new URL(target, url).origin !== new URL(url).origin) {
    return unknown(
      'address-redirects',
      `${name} ${url} redirects to ${new URL(target, url).origin}. If it also does so with a response, browsers block the way back: the Content-Security-Policy of the app allows only the origin in the setting. Set the final address.`,
    )
  }
  if (missingStatuses.includes(status)) {
    return failure(
      'address-missing',
      `${name} ${url} answers ${status}: there is no such page, so no response reaches the player. Ask the video service for {player_return_url}.`,
    )
  }
  return status >= 500 || isGuarded(status)
    ? unknown(
        'address-doubtful',
        `${name} ${url} answers ${status} to a request without a response. Check its spelling.`,
      )
    : ok('address-reachable', `${name} ${url} is reachable.`)
}

/**
 * Checks that the screen at an address accepts a consumer, and that browsers may go there.
 * @param refusal returns the finding for a status that refuses the consumer. Null for a status that does not.
 * @param allowed the finding if the app sends viewers to the consumer.
 */
export async function checkConsumer(
  address: string,
  consumer: URL,
  refusal: (status: number) => Finding | null,
  allowed: Finding,
  signal: AbortSignal,
): Promise<Finding> {
  const screen = await requestFrame(`${address}?${new URLSearchParams({ hashConsumer: consumer.href })}`, signal)
  if (!(screen instanceof Response)) return screen
  if (isGuarded(screen.status)) return guarded(`${address} with hashConsumer`, screen.status)
  const refused = refusal(screen.status)
  if (refused !== null) return refused
  return notAllowed(screen.headers, 'form-action', [consumer.origin]).length === 0
    ? allowed
    : failure(
        'consumer-form-action',
        `${address}: form-action lacks ${consumer.origin}, so browsers block the redirect to the consumer. ${PROXY_OR_SETTINGS}`,
      )
}

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
