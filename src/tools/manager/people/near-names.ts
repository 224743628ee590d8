import { distance } from 'fastest-levenshtein'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import { usernameKey } from '../../../users/viewer-fields.ts'
import type { Scope } from '../door/scope.ts'

const MOST_COMPARED = 200
const MOST_SHOWN = 5
const MOST_TYPOS = 2

/**
 * Returns user names that a mistyped name may mean, the nearest first. A typing error leaves one half of the name before
 * the @ as it is, so only names with one of the halves are compared.
 */
export async function nearNames(store: EditableUserStore, typed: string, { groups }: Scope): Promise<string[]> {
  const key = usernameKey(typed)
  const [local = ''] = key.split('@')
  const middle = Math.ceil(local.length / 2)
  const halves = [local.slice(0, middle), local.slice(middle)].filter((half) => half !== '')
  const found = await Promise.all(
    halves.map((text) => store.page({ text, group: '', state: 'all', oneOf: groups }, '', MOST_COMPARED)),
  )
  const names = [...new Set(found.flat().map(({ viewer }) => viewer.username))]
  return names
    .map((name) => ({ name, typos: distance(usernameKey(name), key) }))
    .filter(({ typos }) => typos <= MOST_TYPOS)
    .toSorted((one, other) => one.typos - other.typos)
    .slice(0, MOST_SHOWN)
    .map(({ name }) => name)
}
