import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { compileCache } from '../../../compile-cache.ts'

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

export type DemoProgram = ReturnType<typeof startDemo>

export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'demo-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/**
 * Starts the demo as a program, on free ports by default.
 * @param output a file descriptor in place of its standard output.
 */
export function startDemo(environment: Record<string, string>, output: number | 'pipe' = 'pipe') {
  const child = spawn(process.execPath, ['src/tools/emulator/demo/main.ts'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH ?? '',
      DEMO_PORT: '0',
      EMULATOR_PORT: '0',
      EMULATOR_PROVIDER_PORT: '0',
      ...compileCache,
      ...environment,
    },
    stdio: ['ignore', output, 'pipe'],
  })
  let printed = ''
  const ended = once(child, 'close').then(() => child.exitCode)
  const running = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        printed += text
        if (printed.includes('The demo is running')) resolve()
      })
    }
    void ended.then((status) => reject(new Error(`The demo ended with ${status}: ${printed}`)))
  })
  // Tests that only wait for the end do not handle this rejection.
  running.catch(() => {})
  return { child, printed: () => printed, running, ended }
}

/** Returns the text of the home page of the service, a line for each link, code and command. */
export async function homePageOf({ printed }: Pick<DemoProgram, 'printed'>): Promise<string> {
  const [address = ''] = /http:\/\/127\.0\.0\.1:\d+\/$/m.exec(stripVTControlCharacters(printed())) ?? []
  const page = await (await fetch(address)).text()
  return page.replaceAll(/<[^>]*>/g, '\n').replaceAll('&amp;', '&')
}

/** Stops the demo as Ctrl-C does. */
export function stopDemo({ child, ended }: DemoProgram): Promise<number | null> {
  child.kill('SIGINT')
  return ended
}

/** Listens on a port, as another program would. */
export async function takePort(): Promise<{ port: number; release(): Promise<unknown> }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    release() {
      server.close()
      return once(server, 'close')
    },
  }
}
