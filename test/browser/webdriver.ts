import { globSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const BROWSER = '/usr/lib/*/webkit2gtk-4.1/MiniBrowser'
const START_MS = 60_000
/** The key of an element's id (W3C WebDriver, "web element identifier"). */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** A session of W3C WebDriver. */
export type WebDriver = Awaited<ReturnType<typeof startSession>>

/** Starts WebKit's small browser by a driver that is just starting on a port of the loopback address. */
export async function startSession(port: number, options: readonly string[]) {
  const origin = `http://127.0.0.1:${port}`
  await untilAnswered(`${origin}/status`)
  const [binary] = globSync(BROWSER)
  const browser = { binary, args: ['--automation', ...options] }
  const capabilities = { alwaysMatch: { acceptInsecureCerts: true, 'webkitgtk:browserOptions': browser } }
  const { sessionId } = (await command('POST', `${origin}/session`, { capabilities })) as { sessionId: string }
  const send = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
    command(method, `${origin}/session/${sessionId}${path}`, body)
  return {
    send,
    /** Returns the path of the first element in the current frame. @throws Error if there is none. */
    async find(selector: string) {
      const found = await send('POST', '/element', { using: 'css selector', value: selector })
      return `/element/${(found as Record<string, string>)[ELEMENT]}`
    },
    async switchFrame(element: string | null) {
      const id = element === null ? null : { [ELEMENT]: element.replace('/element/', '') }
      await send('POST', '/frame', { id })
    },
  }
}

async function command(method: string, url: string, body?: object): Promise<unknown> {
  const answer = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) })
  const { value } = (await answer.json()) as { value: unknown }
  if (answer.ok) return value
  const { error, message } = value as { error: string; message: string }
  throw new Error(`${error}: ${message}`)
}

async function untilAnswered(url: string): Promise<void> {
  for (const endMs = performance.now() + START_MS; ; await sleep(20)) {
    try {
      await fetch(url)
      return
    } catch (error) {
      if (performance.now() > endMs) throw error
    }
  }
}
