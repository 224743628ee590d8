import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { UpstreamError } from '../../../src/errors.ts'
import { createQueue } from '../../../src/server/work-queue.ts'
import { hashingQueueOptions } from '../../../src/users/passwords/hashing-queue.ts'
import { storedPasswords } from '../../../src/users/passwords/stored-passwords.ts'
import { hashedSignIn, toViewer } from '../../../src/users/passwords/verify-sign-in.ts'
import type { UserStore, Warn } from '../../../src/users/user-store.ts'
import { faultInUsername, usernameKey } from '../../../src/users/viewer-fields.ts'

const Viewer = z.object({
  username: z.string(),
  groups: z.array(z.string()),
  attributes: z.record(z.string(), z.string()),
})
const Rows = z.array(z.object({ viewer: Viewer, passwordHash: z.string(), disabled: z.boolean() }))

export function openJsonStore(file: string, warn: Warn): UserStore {
  let isOpen = true
  async function load(key: string) {
    if (!isOpen) throw new UpstreamError('user-store', `${file} is closed`)
    try {
      const rows = Rows.parse(JSON.parse(await readFile(file, 'utf8')))
      const known = rows.find(({ viewer }) => usernameKey(viewer.username) === key)
      // An unknown name gets the hash of another viewer, always the same one, so that both take the same time.
      const decoy = rows.find(({ viewer }) => usernameKey(viewer.username) > key) ?? rows[0]
      return known ?? { decoyHash: decoy?.passwordHash ?? null }
    } catch (cause) {
      throw new UpstreamError('user-store', `${file} cannot be read`, { cause })
    }
  }
  const queue = createQueue(hashingQueueOptions())
  return {
    assertCapacity: queue.assertCapacity,
    authenticate: hashedSignIn({ queue, passwords: storedPasswords, load, warn }),
    async find(username) {
      const row = faultInUsername(username) === null ? await load(usernameKey(username)) : null
      return row && 'viewer' in row && !row.disabled ? toViewer(row) : null
    },
    async checkHealth() {
      await load('')
    },
    close() {
      isOpen = false
      return Promise.resolve()
    },
  }
}
