import { type Content, contentPath, type Lock } from './content.ts'

/**
 * The entry point of the lock with the parameters that the player appends. Appends to the text, because URL() would
 * rewrite the customer's own query.
 * @param hashConsumer the return address; left out for the player.
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

/** The return address of the chat and of the combined embed. `resource` is the path of the embed. */
export function chatConsumer(publicUrl: string, content: Pick<Content, 'type' | 'id'>, resource: string): string {
  return `${publicUrl}/chat/authorize/${contentPath(content)}?resource=${encodeURIComponent(resource)}`
}

/**
 * Returns the path and query of a `resource`; null unless it is a chat or combined embed of this service.
 * @param resource as received, percent-decoded once.
 */
export function ownResource(resource: unknown, publicUrl: string): string | null {
  // Browsers read "\" as "/" and drop tabs and line breaks, so "/\evil.example" is another site.
  if (typeof resource !== 'string' || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(resource)) return null
  if (resource.length > 2048 || !URL.canParse(resource, publicUrl)) return null
  const url = new URL(resource, publicUrl)
  if (url.origin !== publicUrl || !/^\/(chat|combined)\/(recorded\/)?\d+$/.test(url.pathname)) return null
  return url.pathname + url.search
}
