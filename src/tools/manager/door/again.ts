import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Form } from './form-body.ts'

const AGAIN_MS = 10_000
const MOST_SESSIONS = 1_000

/**
 * Creates the memory of the last post of each session, or of each browser before its sign-in. The same form again within
 * seconds gets the same answer: a double click or a reload is one act. A form that was refused, or failed, is tried again.
 */
export function createAgain<Answer>(isRefused: (answer: Answer) => boolean, nowMs = () => performance.now()) {
  const ttl = { ttl: AGAIN_MS, ttlResolution: 0, perf: { now: nowMs } }
  const last = new LRUCache<string, { key: string; answer: Promise<Answer> }>({ max: MOST_SESSIONS, ...ttl })
  return (sessionId: string, address: string, { values, upload }: Form, handle: () => Answer | Promise<Answer>) => {
    const file = upload && [upload.name, hash('sha256', upload.content)]
    const key = JSON.stringify([address, [...values], file])
    const known = last.get(sessionId)
    if (known?.key === key) return { answer: known.answer, isAgain: true }
    const answer = (async () => await handle())()
    const own = { key, answer }
    last.set(sessionId, own)
    const forget = () => last.get(sessionId) === own && last.delete(sessionId)
    answer.then((one) => isRefused(one) && forget(), forget)
    return { answer, isAgain: false }
  }
}
