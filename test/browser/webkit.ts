import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../servers/free-port.ts'

const BROWSER = '/usr/lib/*/webkit2gtk-4.1/MiniBrowser'
const START_MS = 60_000
/** The key of an element's id (W3C WebDriver, "web element identifier"). */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'

/** A session of W3C WebDriver. */
type WebDriver = Awaited<ReturnType<typeof startSession>>

/** Starts WebKit's small browser by a driver that is just starting on a port of the loopback address. */
async function startSession(port: number, options: readonly string[]) {
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

const DRIVER = '/usr/bin/WebKitWebDriver'
const DISPLAY = '/usr/bin/Xvfb'
const PATIENCE_MS = 20_000

/**
 * Options of Debian's WebKitGTK, the engine of Safari:
 * - `webkit`: blocks cookies of other sites in frames, as Safari does. Its HTTP library has no partitioned cookies.
 * - `webkit-no-scripts`: the same, and no page runs a script.
 * - `webkit-dark`: the same as `webkit`, with dark colors.
 */
const OPTIONS = {
  webkit: [],
  'webkit-no-scripts': ['--enable-javascript=false'],
  'webkit-dark': ['--dark-mode'],
} as const satisfies Record<string, readonly string[]>

export type WebKitKind = keyof typeof OPTIONS

export type WebKit = Awaited<ReturnType<typeof launchWebKit>>

/** Starts WebKit with an empty profile on a display of its own. It accepts every certificate. */
export async function launchWebKit(kind: WebKitKind) {
  const home = await mkdtemp(join(tmpdir(), `${kind}-`))
  const programs: ChildProcess[] = []
  const end = async () => {
    for (const program of programs.reverse()) await endProgram(program)
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
  try {
    const display = start(DISPLAY, ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], {})
    programs.push(display)
    const signal = AbortSignal.timeout(START_MS)
    const [number] = (await once(display.stdio[3] as Readable, 'data', { signal })) as [Buffer]
    const port = await freePort()
    programs.push(start(DRIVER, [`--port=${port}`], { HOME: home, DISPLAY: `:${String(number).trim()}` }))
    const driver = await startSession(port, ['--enable-itp', ...OPTIONS[kind]])
    return {
      ...controlsOf(driver),
      async close() {
        // Without an answer too, the programs end.
        await driver.send('DELETE', '').catch(() => {})
        await end()
      },
    }
  } catch (cause) {
    await end()
    throw new Error(`${kind} did not start. npm test installs it on Debian, as root.`, { cause })
  }
}

function start(program: string, args: string[], environment: Record<string, string>): ChildProcess {
  const env = { PATH: '/usr/bin:/bin', ...environment }
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  // The caller notices: the program does not answer.
  child.on('error', () => {})
  return child
}

async function endProgram(program: ChildProcess): Promise<void> {
  if (program.pid === undefined || program.exitCode !== null || program.signalCode !== null) return
  const ended = once(program, 'exit')
  program.kill()
  await ended
}

function controlsOf({ send, find, switchFrame }: WebDriver) {
  const handles = async () => (await send('GET', '/window/handles')) as string[]
  const evaluate = (expression: string) => send('POST', '/execute/sync', { script: `return (${expression})`, args: [] })
  const address = async () => String(await evaluate('location.href'))
  /** Waits until the element is shown. Retries a failed step: the page of the element may just be going away. */
  const withElement = async <T>(selector: string, step: (element: string) => Promise<T>): Promise<T> => {
    const { result } = await patiently(`${selector} cannot be used`, async () => {
      const element = await find(selector)
      return (await send('GET', `${element}/displayed`)) === true ? { result: await step(element) } : undefined
    })
    return result
  }
  return {
    evaluate,
    /** Loads a page in the current window, and continues in its main frame. */
    open: async (url: string) => void (await send('POST', '/url', { url })),
    /** Continues in the frame of an `iframe` element, or with `null` in the main frame. */
    enterFrame: (selector: string | null): Promise<unknown> =>
      selector === null ? switchFrame(null) : withElement(selector, switchFrame),
    /** Continues in the first window whose address has this prefix, when it is there. */
    enterWindow: (prefix: string) =>
      patiently(`No window at ${prefix}`, async () => {
        for (const handle of await handles()) {
          await send('POST', '/window', { handle })
          if ((await address()).startsWith(prefix)) return true
        }
        return undefined
      }),
    closeWindow: async () => void (await send('DELETE', '/window')),
    countWindows: async () => (await handles()).length,
    /** Closes all windows but one, and empties that one. A test that failed in a window of its own leaves the window open. */
    async startAgain() {
      const [first, ...others] = await handles()
      for (const handle of others) {
        await send('POST', '/window', { handle })
        // A window that closes itself may be gone by now.
        await send('DELETE', '/window').catch(() => {})
      }
      await send('POST', '/window', { handle: first })
      await send('POST', '/url', { url: 'about:blank' })
    },
    textOf: (selector: string) =>
      withElement(selector, async (element) => String(await send('GET', `${element}/text`))),
    press: (selector: string) => withElement(selector, (element) => send('POST', `${element}/click`, {})),
    /** Replaces the text of a field. */
    type: (selector: string, text: string) =>
      withElement(selector, async (element) => {
        await send('POST', `${element}/clear`, {})
        // A field of a frame takes no keys before it is clicked.
        await send('POST', `${element}/click`, {})
        await send('POST', `${element}/value`, { text })
      }),
    /** Waits until the current frame has an address with this prefix, and returns the address. */
    arriveAt: (prefix: string) =>
      patiently(`No arrival at ${prefix}`, async () => {
        const found = await address()
        return found.startsWith(prefix) ? found : undefined
      }),
    cookieNames: async () => ((await send('GET', '/cookie')) as { name: string }[]).map(({ name }) => name),
    photograph: async (file: `${string}.png`) => writeFile(file, String(await send('GET', '/screenshot')), 'base64'),
  }
}

/** Repeats a step until it returns a value, also if it fails. @throws Error with the last failure as its cause. */
async function patiently<T>(complaint: string, step: () => Promise<T | undefined>): Promise<T> {
  let cause: unknown
  for (const endMs = performance.now() + PATIENCE_MS; performance.now() < endMs; await sleep(20)) {
    const value = await step().catch((error: unknown) => {
      cause = error
      return undefined
    })
    if (value !== undefined) return value
  }
  throw new Error(complaint, { cause })
}
