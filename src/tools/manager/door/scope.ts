import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { UserStore, Viewer } from '../../../users/user-store.ts'
import type { Manager } from '../../cli/manager/accounts/manager-store.ts'

/**
 * The viewers and entry points that a manager may see. Viewers belong to an entry point by ALLOWED_GROUPS: a manager of one
 * entry point sees the members of its groups, or all viewers if the entry point lets in everyone.
 */
export type Scope = ReturnType<typeof scopeOf>

/**
 * @param all the entry points of the settings. Null if they cannot be read: a restricted manager then sees no viewer.
 * @param event the entry point that the manager has chosen.
 */
export function scopeOf(
  { entryPoints }: Manager,
  all: readonly Pick<EntryPoint, 'name' | 'allowedGroups'>[] | null,
  event: string | null = null,
) {
  const groups = entryPoints === null ? null : groupsOf(entryPoints, all)
  const seesEntryPoint = (name: string) => entryPoints === null || entryPoints.includes(name)
  const chosen = all?.find(({ name }) => name === event && seesEntryPoint(name)) ?? null
  const seesViewer = (viewer: Pick<Viewer, 'groups'>) =>
    groups === null || viewer.groups.some((group) => groups.includes(group))
  return {
    /** The groups whose members the manager sees. Null for all viewers. */
    groups,
    /** The names of the entry points. Null for all. */
    entryPoints,
    seesViewer,
    seesEntryPoint,
    /** The entry points that pages show: those of the chosen event. Null for all. */
    shown: chosen === null ? entryPoints : [chosen.name],
    showsEntryPoint: (name: string) => (chosen === null ? seesEntryPoint(name) : name === chosen.name),
    /** The groups whose members lists show. Null for all viewers. */
    shownGroups: chosen?.allowedGroups ?? groups,
    /** True if the manager may give a viewer these groups. The viewer must stay in scope, and keeps groups out of scope. */
    mayGive(after: readonly string[], before: readonly string[] = []): boolean {
      if (groups === null) return true
      const changed = [
        ...after.filter((group) => !before.includes(group)),
        ...before.filter((one) => !after.includes(one)),
      ]
      return seesViewer({ groups: after }) && changed.every((group) => groups.includes(group))
    },
  }
}

/**
 * True if the manager may see the viewer of a name. A manager of some groups sees no name that the store does not know,
 * because a name could already tell something.
 */
export async function seesName(store: UserStore, scope: Scope, username: string): Promise<boolean> {
  if (scope.groups === null) return true
  const viewer = (await store.inspect?.(username))?.viewer ?? (await store.find?.(username)) ?? null
  return viewer !== null && scope.seesViewer(viewer)
}

function groupsOf(
  names: readonly string[],
  all: readonly Pick<EntryPoint, 'name' | 'allowedGroups'>[] | null,
): readonly string[] | null {
  const own = (all ?? []).filter(({ name }) => names.includes(name))
  if (own.some(({ allowedGroups }) => allowedGroups === null)) return null
  return own.flatMap(({ allowedGroups }) => allowedGroups ?? [])
}
