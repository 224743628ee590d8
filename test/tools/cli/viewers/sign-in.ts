import { join } from 'node:path'
import { openSqliteStore } from '../../../../src/users/sqlite/store.ts'
import type { Authentication } from '../../../../src/users/user-store.ts'

/** Signs in with the default store of the login app in that folder. */
export async function signIn(cwd: string, username: string, typed: string): Promise<Authentication> {
  const store = openSqliteStore(join(cwd, 'data', 'viewers.db'))
  try {
    return await store.authenticate(username, typed)
  } finally {
    await store.close()
  }
}
