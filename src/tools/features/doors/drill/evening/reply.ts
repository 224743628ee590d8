import type { BrowserAnswer } from '../../../../cli/drill/crowd/browser.ts'
import { responseIn } from '../../../../cli/drill/crowd/expected-response.ts'

/** An answer of the app, as the browser of a viewer understands it. */
export type Reply =
  /** The player gets this response. */
  | { readonly name: 'response'; readonly response: string; readonly address: URL }
  /** The browser loads another address of the app: at once, or later. */
  | { readonly name: 'next'; readonly path: string; readonly afterMs: number | null }
  | { readonly name: 'sign-in-screen' }
  /** 403 with the reason on the screen, such as `over`. */
  | { readonly name: 'refused'; readonly reason: string }
  /** 503 or 429 with Retry-After. */
  | {
      readonly name: 'asked-to-wait'
      readonly status: number
      readonly seconds: number
      readonly reason?: string | undefined
    }
  | { readonly name: 'odd'; readonly fault: string }

const REFRESH = /^(\d{1,5})\s*;\s*url=(.+)$/i

/** Reads an answer. @param origin of the app: a browser that is led elsewhere has left the evening. */
export function readReply({ status, location, refresh, ...answer }: BrowserAnswer, origin: string): Reply {
  const response = responseIn(location)
  if (status === 303 && location !== null && response !== null)
    return { name: 'response', response, address: new URL(location) }
  const path = status === 303 && location !== null ? pathIn(location, origin) : null
  if (path !== null) return { name: 'next', path, afterMs: null }
  const [, seconds, address = ''] = REFRESH.exec(refresh ?? '') ?? []
  const later = seconds === undefined ? null : pathIn(address, origin)
  if (later !== null) return { name: 'next', path: later, afterMs: Number(seconds) * 1000 }
  if ((status === 503 || status === 429) && answer.retryAfterSeconds !== null)
    return { name: 'asked-to-wait', status, seconds: answer.retryAfterSeconds, reason: answer.reason }
  if (status === 200 && /<input\b[^>]*\bname="?password\b/i.test(answer.page)) return { name: 'sign-in-screen' }
  if (status === 403 || status === 401) return { name: 'refused', reason: answer.reason ?? String(status) }
  return { name: 'odd', fault: `${status} of the app` }
}

/** Returns the path and query of an address of the app; null for another address. */
function pathIn(address: string, origin: string): string | null {
  if (!URL.canParse(address, origin)) return null
  const url = new URL(address, origin)
  return url.origin === origin ? url.pathname + url.search : null
}
