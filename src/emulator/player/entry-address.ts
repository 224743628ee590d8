import { type Content, contentPath, type Lock } from './content.ts'

/**
 * Where the viewer signs in: the lock's entry point with what the player appends. By string, so that the customer's own
 * query stays byte for byte.
 * @param hashConsumer the address that wants the response, for everything but the player.
 */
export function entryAddress(lock: Lock, content: Pick<Content, 'type' | 'id'>, hashConsumer?: string): string {
  const appended = [
    ...(hashConsumer === undefined ? [] : [`hashConsumer=${encodeURIComponent(hashConsumer)}`]),
    `ustreamContentType=${content.type}`,
    `ustreamContentId=${content.id}`,
  ].join('&')
  const at = lock.url.indexOf('#')
  const beforeFragment = at === -1 ? lock.url : lock.url.slice(0, at)
  const fragment = at === -1 ? '' : lock.url.slice(at)
  const separator = !beforeFragment.includes('?') ? '?' : /[?&]$/.test(beforeFragment) ? '' : '&'
  return `${beforeFragment}${separator}${appended}${fragment}`
}

/** The return address of the chat and of the combined embed; `resource` is the page to come back to. */
export function chatConsumer(publicUrl: string, content: Pick<Content, 'type' | 'id'>, resource: string): string {
  return `${publicUrl}/chat/authorize/${contentPath(content)}?resource=${encodeURIComponent(resource)}`
}

/**
 * The path that a `resource` leads to; null unless it is a chat or combined embed of ours.
 * @param resource as received, percent-decoded once.
 */
export function ownResource(resource: unknown, publicUrl: string): string | null {
  // Browsers take "\" for "/" and drop tabs and line ends: "/\evil.example" would leave.
  if (typeof resource !== 'string' || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(resource)) return null
  if (resource.length > 2048 || !URL.canParse(resource, publicUrl)) return null
  const url = new URL(resource, publicUrl)
  if (url.origin !== publicUrl || !/^\/(chat|combined)\/(recorded\/)?\d+$/.test(url.pathname)) return null
  return url.pathname + url.search
}
