import type { SessionViewer } from '../../../../../src/sessions/session-store.ts'
import { openSqliteSessionStore } from '../../../../../src/sessions/sqlite-store.ts'
import { set } from '../../../../sessions/session-store-contract.ts'

type StoredViewer = Omit<SessionViewer, 'identity'> & { readonly identity?: object }

/** Stores a session in a file. @param usedAtSeconds UNIX time of the last use. */
export async function addSession(
  file: string,
  id: string,
  viewer: StoredViewer,
  usedAtSeconds = viewer.signedInAtSeconds,
): Promise<void> {
  const limits = { lifetimeSeconds: 99_999, idleSeconds: 99_999, mostPerViewer: 20 }
  const sessions = openSqliteSessionStore(file, limits, () => usedAtSeconds)
  await set(sessions, id, { cookie: {}, viewer } as never)
  sessions.close()
}
