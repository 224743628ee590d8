import type { ChangesPasswords, EditsLinks } from './account/password-changes.ts'
import type { MovesViewers } from './import-batch/import-rules.ts'
import type { PagesViewers } from './manager/viewer-pages.ts'
import type { KeepsPasskeys } from './passkeys/passkey-store.ts'
import type { ViewerEditor } from './viewer-editor.ts'

export interface EditableStoreOptions {
  /** Words that a new password may not consist of, besides the user name. */
  readonly contextWords?: readonly string[]
}

/** What the parts of this app add to a store whose viewers it manages. */
type Added = ChangesPasswords & EditsLinks & KeepsPasskeys & MovesViewers & PagesViewers

/** A store whose viewers this app manages. Only the command line uses it; the login screens never do. */
export type EditableUserStore = ViewerEditor & Added
