import type { Response } from 'express'
import type { Content } from './content.ts'

/**
 * A page that shows the video, the chat or both. Any site may embed it, so there is no `frame-ancestors`; its own frames
 * are the login app and, when that redirects back, a page of ours.
 */
export function setPlayerPolicy(res: Response, { lock }: Pick<Content, 'lock'>): void {
  setPolicy(res, { 'media-src': "'self'", 'frame-src': `'self'${lock === null ? '' : ` ${frameSource(lock.url)}`}` })
}

/** A page that receives a response and hands it to the page that frames it. */
export function setReturnPolicy(res: Response): void {
  setPolicy(res, {})
  // The address holds the response: it must not travel on as a referrer.
  res.set({ 'Referrer-Policy': 'no-referrer', 'Cache-Control': 'no-store' })
}

/** The customer's page: it frames the player and is framed by nobody. */
export function setCustomerPolicy(res: Response, playerUrl: string): void {
  setPolicy(res, { 'frame-src': `'self' ${frameSource(playerUrl)}`, 'frame-ancestors': "'none'" })
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

/** The origin of an address as a source of the policy. Its grammar has no IPv6 addresses: those widen to the scheme. */
function frameSource(url: string): string {
  if (!URL.canParse(url)) return ''
  const { origin, hostname, protocol } = new URL(url)
  // ";" and "," are legal in a host, and would begin a new directive.
  return /^[a-z0-9.-]+$/.test(hostname) ? origin : protocol
}
