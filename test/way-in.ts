import { join } from 'node:path'
import { expect } from 'vitest'
import { startLoginProgram } from './login/start-program.ts'
import { freePort } from './servers/free-port.ts'
import { SETTINGS } from './settings.ts'
import { temporaryFolder } from './users/temporary-folder.ts'

type Environment = Readonly<Record<string, string>>

/** What one part adds to the sign-in: a way in, an answer, a page. Each part describes its own, beside its tests. */
export interface WayIn {
  readonly name: string
  /** Starts what it needs, until the test ends. */
  prepare(origin: string, folder: string): Prepared | Promise<Prepared>
}

interface Prepared {
  /** The settings with which the app has it. */
  readonly settings: Environment
  /** The address of its first screen. */
  readonly screen?: string
  /** Signs a viewer in. @returns the last answer in the frame. */
  signIn?(app: RunningApp, fields?: Environment): Promise<Response>
}

export interface RunningApp {
  readonly env: Environment
  /** Returns the text of a page. */
  read(address: string): Promise<string>
  /** Sends a form, as the browser of a viewer does. */
  post(path: string, form: Environment): Promise<Response>
}

/** Starts src/main.ts with a way in until the test ends, with its data in a new folder. */
export async function startWayIn({ prepare }: WayIn) {
  const folder = temporaryFolder()
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const { settings, screen = '/', signIn } = await prepare(origin, folder)
  const files = {
    SESSION_STORE_URL: `sqlite:${join(folder, 'sessions.db')}`,
    SECURITY_LOG_FILE: join(folder, 'security.log'),
  }
  const fixed = { HOST: '127.0.0.1', PORT: String(port), SHUTDOWN_DELAY_SECONDS: '0' }
  const env = { ...SETTINGS, ...files, ...settings, PUBLIC_URL: origin, ...fixed }
  const { output } = await startLoginProgram(env, { cwd: folder })
  const app: RunningApp = {
    env,
    read: async (address) => await (await fetch(new URL(address, origin))).text(),
    post(path, form) {
      const headers = { origin, 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Site': 'same-origin' }
      const body = new URLSearchParams(form)
      return fetch(`${origin}${path}`, { method: 'POST', redirect: 'manual', headers, body })
    },
  }
  return { app, folder, origin, output, screen: `${origin}${screen}`, signIn }
}

/** Returns a hidden field of a screen. */
export function hiddenIn(html: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]+)"`).exec(html)?.[1] ?? expect.unreachable(`no ${name} in ${html}`)
}
