import { join } from 'node:path'
import { expect } from 'vitest'
import { openEditableSqliteStore } from '../../../../src/users/sqlite/editable-store.ts'
import type { Viewer } from '../../../../src/users/user-store.ts'

/** Adds viewers without passwords, which takes no time, to the file that `runHere` uses. */
export async function addStoredViewers(cwd: string, viewers: readonly Partial<Viewer>[]): Promise<void> {
  const store = openEditableSqliteStore(join(cwd, 'data', 'viewers.db'))
  for (const viewer of viewers) {
    expect(await store.add({ username: '', groups: [], attributes: {}, ...viewer }, null)).toMatchObject({ ok: true })
  }
  await store.close()
}
