import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { openEditableSqliteStore } from '../../src/users/sqlite/editable-store.ts'
import { compileCache } from '../compile-cache.ts'
import { viewersUrl } from '../users/sqlite/viewers-url.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { ADMITTED } from './admitted.ts'

const PROGRAM = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export const ADA = { username: 'ada@example.com', password: 'PASSWORDMARKER correct horse' }
/** A test checks that the program writes none of these. */
export const SECRETS = {
  HASH_SECRET: 'HASHSECRETMARKER7c31f09e5d8a462b',
  SESSION_SECRET: 'SESSIONSECRETMARKER9d0e47ab1c358f62',
}

export type LoginProgram = Awaited<ReturnType<typeof startLoginProgram>>

export interface Ended {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** Returns settings for a free port, with data in a new folder that the program creates. */
export function programSettings(folder: string = temporaryFolder()): Record<string, string> {
  return {
    ...SECRETS,
    PUBLIC_URL: 'http://localhost:3000',
    PORT: '0',
    HOST: '127.0.0.1',
    PLAYER_RETURN_URL: 'https://player.example/embed/hashlock/pass',
    PLAYER_ORIGINS: 'https://player.example',
    USER_STORE_URL: viewersUrl(join(folder, 'data')),
    SESSION_STORE_URL: `sqlite:${join(folder, 'data', 'sessions.db')}`,
    SHUTDOWN_DELAY_SECONDS: '0',
    SECURITY_LOG_FILE: 'off',
  }
}

/** Runs src/main.ts with only these settings in its environment, until it ends by itself. */
export function runLoginProgram(
  settings: Readonly<Record<string, string>>,
  options: { uid?: number; gid?: number; cwd?: string } = {},
) {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { ...compileCache, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
    })
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject).on('close', (status, signal) => resolve({ status, signal, ...written }))
  })
  return { child, output: () => written.stdout + written.stderr, ended }
}

/** Starts the program. Resolves when it listens. */
export async function startLoginProgram(
  settings: Readonly<Record<string, string>>,
  options?: Parameters<typeof runLoginProgram>[1],
) {
  const { child, output, ended } = runLoginProgram(settings, options)
  /** Resolves with the output once it contains the text. */
  async function says(text: string): Promise<string> {
    let isOver = false
    const over = ended.then(() => {
      isOver = true
    })
    while (!output().includes(text)) {
      if (isOver) throw new Error(`The program ended without saying ${text}: ${output()}`)
      await Promise.race([once(child.stdout, 'data'), over])
    }
    return output()
  }
  const [, port] = /"port":(\d+)/.exec(await says('"started"')) ?? []
  return { child, port: Number(port), output, says, ended }
}

/** Adds ada to the store of the settings, before the program opens it. */
export async function addAda(settings: Readonly<Record<string, string>>): Promise<void> {
  const users = openEditableSqliteStore((settings.USER_STORE_URL ?? '').replace('sqlite:', ''))
  await users.add({ username: ADA.username, ...ADMITTED }, ADA.password)
  await users.close()
}

/**
 * Makes a folder that the program cannot write. Root can write everywhere, so then the program runs as another user.
 */
export function lockedFolder(): { folder: string; options: { uid?: number; gid?: number } } {
  const folder = temporaryFolder()
  chmodSync(folder, 0o555)
  onTestFinished(() => chmodSync(folder, 0o755))
  return { folder, options: process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {} }
}
