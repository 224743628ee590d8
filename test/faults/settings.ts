import { join } from 'node:path'
import type { EditableUserStore } from '../../src/users/editable-user-store.ts'
import { openEditableSqliteStore } from '../../src/users/sqlite/editable-store.ts'
import { ADMITTED } from '../login/admitted.ts'
import { programSettings } from '../login/login-program.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'
import { VISITORS_BEFORE } from './rehearse.ts'
import { PASSWORD } from './visit.ts'

/** Settings with all data in a folder, where the viewers are already in the file. */
export async function settingsInFolder(folder: string = temporaryFolder()): Promise<Record<string, string>> {
  const users = openEditableSqliteStore(join(folder, 'data', 'viewers.db'))
  await addVisitors(users)
  await users.close()
  return programSettings(folder)
}

export async function addVisitors(users: Pick<EditableUserStore, 'add'>): Promise<void> {
  const viewers = VISITORS_BEFORE.map(({ username }) => ({ username, ...ADMITTED }))
  await Promise.all(viewers.map((viewer) => users.add(viewer, PASSWORD)))
}
