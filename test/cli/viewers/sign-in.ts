import { join } from 'node:path'
import { openSqliteStore } from '../../../src/users/sqlite/store.ts'
import type { Authentication } from '../../../src/users/user-store.ts'

/** What the login app in that folder, with its default store, answers to a sign-in. */
export async function signIn(cwd: string, username: string, typed: string): Promise<Authentication> {
  const store = openSqliteStore(join(cwd, 'data', 'viewers.db'))
  try {
    return await store.authenticate(username, typed)
  } finally {
    await store.close()
  }
}
