import { join } from 'node:path'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { ADMITTED } from '../../login/admitted.ts'
import type { WayIn } from '../../way-in.ts'
import { viewersUrl } from './viewers-url.ts'

const VIEWER = { username: 'ada@example.com', password: 'seven quiet herons' }

export const sqliteWay: WayIn = {
  name: 'a password in a SQLite file',
  async prepare(_origin, folder) {
    const users = openEditableSqliteStore(join(folder, 'viewers.db'))
    await users.add({ username: VIEWER.username, ...ADMITTED }, VIEWER.password)
    await users.close()
    return {
      settings: { USER_STORE_URL: viewersUrl(folder) },
      signIn: (app, fields) => app.post('/sign-in', { ...VIEWER, ...fields }),
    }
  },
}
