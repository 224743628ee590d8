import type { UserStore } from '../../../../users/user-store.ts'

/** The number of passkeys of a viewer, for `viewers show`. */
export const passkeysFact = {
  field: 'passkeys',
  label: 'Passkeys',
  /** Null if the store keeps none. */
  async read({ passkeys }: UserStore, username: string): Promise<number | null> {
    return passkeys === undefined ? null : (await passkeys.list(username)).length
  },
}
