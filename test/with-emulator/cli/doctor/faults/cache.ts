import type { IncomingMessage } from 'node:http'
import type { BadProxy } from './installation.ts'

/** A cache that keeps the first answer to each of these requests, and sends it with a date of its own, as nginx does. */
export function cacheOf(cached: RegExp): BadProxy {
  const kept = new Map<string, unknown>()
  function first<Value>(what: string, { method, url = '', headers: { host } }: IncomingMessage, value: Value): Value {
    const key = `${what} ${host} ${url}`
    if (method === 'GET' && cached.test(url) && !kept.has(key)) kept.set(key, value)
    return method === 'GET' && kept.has(key) ? (kept.get(key) as Value) : value
  }
  return {
    answers: ({ date, ...headers }, req) => ({ ...first('headers', req, headers), date }),
    status: (status, req) => first('status', req, status),
    text: (html, req) => first('text', req, html),
  }
}
