import { type Content, contentPath, type HashLock } from './content.ts'

/**
 * The entry point of a hash lock with the parameters that the player appends.
 * @param hashConsumer the return address; left out for the player.
 */
export function entryAddress(lock: HashLock, content: Pick<Content, 'type' | 'id'>, hashConsumer?: string): string {
  const appended = [
    ...(hashConsumer === undefined ? [] : [`hashConsumer=${encodeURIComponent(hashConsumer)}`]),
    `ustreamContentType=${content.type}`,
    `ustreamContentId=${content.id}`,
  ]
  return withParameters(lock.url, appended.join('&'))
}

/** Appends to the text, because URL() would rewrite the customer's own query. */
export function withParameters(url: string, appended: string): string {
  const at = url.indexOf('#')
  const beforeFragment = at === -1 ? url : url.slice(0, at)
  const fragment = at === -1 ? '' : url.slice(at)
  const separator = !beforeFragment.includes('?') ? '?' : /[?&]$/.test(beforeFragment) ? '' : '&'
  return `${beforeFragment}${separator}${appended}${fragment}`
}

/** The return address of chat, Q&A and combined embed. `resource` is the path of the embed. */
export function chatConsumer(publicUrl: string, content: Pick<Content, 'type' | 'id'>, resource: string): string {
  return `${publicUrl}/chat/authorize/${contentPath(content)}?resource=${encodeURIComponent(resource)}`
}

/**
 * Returns the path and query of a `resource`; null unless it is a chat, Q&A or combined embed of this service.
 * @param resource as received, percent-decoded once.
 */
export function ownResource(resource: unknown, publicUrl: string): string | null {
  // Browsers read "\" as "/" and drop tabs and line breaks, so "/\evil.example" is another site.
  if (typeof resource !== 'string' || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(resource)) return null
  if (resource.length > 2048 || !URL.canParse(resource, publicUrl)) return null
  const url = new URL(resource, publicUrl)
  if (url.origin !== publicUrl || !/^\/(chat|qna|combined)\/(recorded\/)?\d+$/.test(url.pathname)) return null
  return url.pathname + url.search
}
