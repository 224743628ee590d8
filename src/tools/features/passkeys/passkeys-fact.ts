import type { KeepsPasskeys } from '../../../users/passkeys/passkey-store.ts'
import type { UserStore } from '../../../users/user-store.ts'
import type { FactReader } from '../../cli/viewers/shown-viewer.ts'

/** The number of passkeys of a viewer, for `viewers show`. */
export const passkeysFact: FactReader = {
  field: 'passkeys',
  label: 'Passkeys',
  /** Null if the store keeps none. */
  async read({ passkeys }: UserStore & Partial<KeepsPasskeys>, { username }) {
    if (passkeys === undefined) return null
    const { length } = await passkeys.list(username)
    return { value: length, text: String(length) }
  },
}
