import type { Response } from 'express'
import type { Content } from './content.ts'

/**
 * Policy of the player, the chat and the combined embed. Any site may frame them, so `frame-ancestors` is absent. With a
 * hash lock, a frame in the player shows the login app, then the return page of this service.
 */
export function setPlayerPolicy(res: Response, { lock }: Pick<Content, 'lock'>): void {
  const entryPoint = lock?.kind === 'hash' ? ` ${frameSource(lock.url)}` : ''
  setPolicy(res, { 'media-src': "'self'", 'frame-src': `'self'${entryPoint}` })
}

/** Policy of the return page, which passes the response to the page that frames it. */
export function setReturnPolicy(res: Response): void {
  setPolicy(res, {})
  // The address contains the response, so it must not be sent as a referrer.
  res.set({ 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' })
}

/**
 * Policy of the customer's page, which frames the player. No page may frame this page. With a frame lock, the player's
 * own frame goes to the login app, so the policy allows both.
 */
export function setCustomerPolicy(res: Response, playerUrl: string, { lock }: Pick<Content, 'lock'>): void {
  const sources = [playerUrl, ...(lock?.kind === 'frame' ? [lock.url] : [])].map(frameSource)
  setPolicy(res, { 'frame-src': `'self' ${sources.join(' ')}`, 'frame-ancestors': "'none'" })
}

function setPolicy(res: Response, directives: Record<string, string>): void {
  const all: Record<string, string> = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self'",
    'connect-src': "'self'",
    'form-action': "'none'",
    'base-uri': "'none'",
    ...directives,
  }
  const policy = Object.entries(all).map(([name, value]) => `${name} ${value}`)
  res.set({ 'Content-Security-Policy': policy.join('; '), 'Cache-Control': 'no-store' })
}

/** The origin of an address, for a policy. Policies cannot name IPv6 addresses: then all of the scheme is allowed. */
function frameSource(url: string): string {
  if (!URL.canParse(url)) return ''
  const { origin, hostname, protocol } = new URL(url)
  // A host may contain ";" and ",", which would start a new directive.
  return /^[a-z0-9.-]+$/.test(hostname) ? origin : protocol
}
