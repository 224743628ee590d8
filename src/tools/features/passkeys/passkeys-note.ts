import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import { counted } from '../../cli/terminal/text.ts'

/** Names the passkeys of a viewer: a thief of the old password may have created one. Null if there is none. */
export async function passkeysNote(store: EditableUserStore, username: string): Promise<string | null> {
  const passkeys = await store.passkeys.list(username)
  if (passkeys.length === 0) return null
  return `The viewer still signs in with ${counted(passkeys.length, 'passkey')}: see viewers passkeys list.`
}
