import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { openLog } from '../../src/server/log/log.ts'
import { stores } from '../../src/stores.ts'
import { argon2Passwords } from '../../src/users/passwords/argon2.ts'
import { openEditableSqliteStore } from '../../src/users/sqlite/editable-store.ts'
import type { ChildOptions } from './child.ts'
import { npmScript } from './command-line.ts'
import { type ListedSession, newSession } from './session-list.ts'

/** Settings and data of a login app in a new folder. All viewers have the same password. */
export interface Installation {
  readonly folder: string
  readonly environment: Environment
  readonly password: string
  readonly passwordHash: string
  usernameOf(index: number): string
  /** The login app with the V8 flags of `npm start`. By default with the settings of the installation. */
  loginApp(environment?: Environment): ChildOptions
  /**
   * Creates sessions that were last used an hour ago, because a viewer seldom returns within seconds.
   * @param environment settings with the store of the sessions; by default those of the installation.
   */
  addSessions(count: number, environment?: Environment, nameOf?: (index: number) => string): Promise<ListedSession[]>
  remove(): Promise<void>
}

export type Environment = Readonly<Record<string, string>>

export const VIEWERS = 2000
export const PLAYER_ORIGIN = 'https://player.example'
export const RETURN_URL = `${PLAYER_ORIGIN}/embed/hashlock/pass`
const LOGIN_ORIGIN = 'https://login.example.com'

export async function createInstallation(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'viewer-auth-bench-'))
  const viewersFile = join(folder, 'viewers.db')
  const sessionsFile = join(folder, 'sessions.db')
  const password = randomBytes(12).toString('base64url')
  const passwordHash = await argon2Passwords.hash(password)
  await addViewers(viewersFile, password, passwordHash)
  const environment = {
    PUBLIC_URL: LOGIN_ORIGIN,
    HOST: '127.0.0.1',
    PORT: '0',
    HASH_SECRET: randomBytes(24).toString('base64url'),
    SESSION_SECRET: randomBytes(24).toString('base64url'),
    PLAYER_RETURN_URL: RETURN_URL,
    PLAYER_ORIGINS: `${PLAYER_ORIGIN} https://customer.example`,
    USER_STORE_URL: `sqlite:${viewersFile}`,
    SESSION_STORE_URL: `sqlite:${sessionsFile}`,
    TRUST_PROXY_HOPS: '1',
    SHUTDOWN_DELAY_SECONDS: '0',
    // As the default, but in the folder that is removed.
    SECURITY_LOG_FILE: join(folder, 'security.log'),
    // A viewer of the benchmark has more sessions than 20.
    SESSIONS_PER_VIEWER: '1000',
  }
  return {
    folder,
    environment,
    password,
    passwordHash,
    usernameOf,
    loginApp: (env = environment) => ({ script: '../../src/main.ts', flags: v8Flags(), env, folder }),
    addSessions: (count, into = environment, nameOf = usernameOf) => addSessions(into, count, nameOf),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

function v8Flags(): string[] {
  return npmScript('start').filter((word) => word.startsWith('--max-'))
}

/** Returns one of 2,000 names. */
export function usernameOf(index: number): string {
  return `viewer${index % VIEWERS}@example.com`
}

/** Adds all viewers with one hash, because 2,000 hashes would take longer than the measurement. */
async function addViewers(file: string, password: string, passwordHash: string): Promise<void> {
  const passwords = { ...argon2Passwords, hash: () => Promise.resolve(passwordHash) }
  const store = openEditableSqliteStore(file, { passwords })
  try {
    for (let index = 0; index < VIEWERS; index++) {
      const viewer = { username: usernameOf(index), groups: ['staff'], attributes: { department: 'north' } }
      const added = await store.add(viewer, password)
      if (!added.ok) throw new Error(added.fault)
    }
  } finally {
    await store.close()
  }
}

async function addSessions(
  environment: Environment,
  count: number,
  nameOf: (index: number) => string,
): Promise<ListedSession[]> {
  const nowSeconds = () => Date.now() / 1000 - 3600
  const { sessionStore, sessions: limits } = readConfig(environment)
  const log = openLog('silent', { write: () => {} })
  const { sessionStore: opened } = await stores.openSessions(sessionStore, limits, { nowSeconds, log })
  try {
    const sessions = Array.from({ length: count }, (_, index) => newSession(nameOf(index), nowSeconds()))
    for (const { id, data } of sessions) {
      await new Promise<void>((resolve, reject) => {
        opened.store.set(id, data, (error?: unknown) => (error ? reject(error) : resolve()))
      })
    }
    return sessions
  } finally {
    opened.close()
  }
}
