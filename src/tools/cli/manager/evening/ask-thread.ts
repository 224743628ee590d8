import { parentPort } from 'node:worker_threads'

const TIMEOUT_MS = 2_500
const SLOW_MS = 1_000
const MOST_BYTES = 5_000_000

/** The answer of an address. Null without one within the timeout. */
export type Asked = Awaited<ReturnType<typeof ask>>

async function ask(address: string) {
  const startMs = Date.now()
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
    const text = (await response.text()).slice(0, MOST_BYTES)
    const endMs = Date.now()
    const date = Date.parse(response.headers.get('Date') ?? '')
    // The header has whole seconds.
    const offset = (date + 500 - (startMs + endMs) / 2) / 1000
    const clockSeconds = Number.isNaN(date) ? null : Math.round(offset)
    return { status: response.status, text, clockSeconds, isSlow: endMs - startMs > SLOW_MS }
  } catch {
    return null
  }
}

// A thread of copies.ts. In the thread of the page, long work would look like an app that does not answer.
// It asks twice, because one lost answer is no outage.
parentPort?.on('message', async (address: string) => {
  const first = await ask(address)
  const second = first ?? (await ask(address))
  parentPort?.postMessage(first ?? (second && { ...second, isSlow: true }))
})
