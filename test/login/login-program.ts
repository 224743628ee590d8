import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openEditableSqliteStore } from '../../src/users/sqlite/editable-store.ts'
import { viewersUrl } from '../users/sqlite/viewers-url.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { ADMITTED } from './admitted.ts'

export const ADA = { username: 'ada@example.com', password: 'PASSWORDMARKER correct horse' }
/** A test checks that the program writes none of these. */
export const SECRETS = {
  HASH_SECRET: 'HASHSECRETMARKER7c31f09e5d8a462b',
  SESSION_SECRET: 'SESSIONSECRETMARKER9d0e47ab1c358f62',
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
