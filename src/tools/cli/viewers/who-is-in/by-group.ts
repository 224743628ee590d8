import { readUserStore } from '../../../../config.ts'
import { createQueue } from '../../../../server/work-queue.ts'
import { userStores } from '../../../../users/open-user-store.ts'
import { usernameKey } from '../../../../users/viewer-fields.ts'
import type { CommandIo } from '../../terminal/io.ts'
import type { SessionIn } from './sessions-in.ts'

/** As many as a directory or another service takes at once from one client. */
const PARALLEL_LOOK_UPS = 8
const BATCH_SIZE = 1_000

/**
 * Counts viewers and sessions by group, the largest group first. A viewer counts in each group; without one, or unknown to the user
 * store, in the group null.
 * @throws UpstreamError if the user store does not answer.
 */
export async function countByGroup({ env }: Pick<CommandIo, 'env'>, sessions: readonly SessionIn[]) {
  const viewers = new Map<string, { username: string; groups: readonly string[] | null; sessions: number }>()
  for (const { username, groups, provider } of sessions) {
    const key = JSON.stringify([usernameKey(username), provider?.issuer, provider?.subject])
    const known = viewers.get(key)
    if (known) known.sessions += 1
    // A viewer of a provider may have the name of another viewer in the user store.
    else viewers.set(key, { username, groups: groups ?? (provider === null ? null : []), sessions: 1 })
  }
  const unknown = [...viewers.values()].filter(({ groups }) => groups === null)
  await lookUpGroups(env, unknown)
  const counts = new Map<string | null, { viewers: number; sessions: number }>()
  for (const { groups, sessions: count } of viewers.values()) {
    for (const group of groups?.length ? groups : [null]) {
      const before = counts.get(group) ?? { viewers: 0, sessions: 0 }
      counts.set(group, { viewers: before.viewers + 1, sessions: before.sessions + count })
    }
  }
  return [...counts]
    .map(([group, count]) => ({ group, ...count }))
    .toSorted((one, other) => other.viewers - one.viewers || ((one.group ?? '') < (other.group ?? '') ? -1 : 1))
}

async function lookUpGroups(
  env: CommandIo['env'],
  viewers: readonly { readonly username: string; groups: readonly string[] | null }[],
): Promise<void> {
  if (viewers.length === 0) return
  const store = await userStores.open(readUserStore(env))
  try {
    const queue = createQueue({ width: PARALLEL_LOOK_UPS, queueLength: BATCH_SIZE })
    for (let from = 0; from < viewers.length; from += BATCH_SIZE) {
      const batch = viewers.slice(from, from + BATCH_SIZE)
      const lookUp = (viewer: (typeof batch)[number]) =>
        queue.run(async () => {
          viewer.groups = (await store.find?.(viewer.username))?.groups ?? []
        })
      await Promise.all(batch.map(lookUp))
    }
  } finally {
    await store.close()
  }
}
