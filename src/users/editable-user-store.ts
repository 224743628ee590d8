import type { EditsLinks } from './account/password-changes.ts'
import type { MovesViewers } from './import-batch/import-rules.ts'
import type { PagesViewers } from './manager/viewer-pages.ts'
import type { KeepsPasskeys } from './passkeys/passkey-store.ts'
import type { ViewerEditor } from './viewer-editor.ts'

export interface EditableStoreOptions {
  /** Words that a new password may not consist of, besides the user name. */
  readonly contextWords?: readonly string[]
}

/**
 * A store whose viewers this app manages, for the tools. The login screens never use it. Each function throws an
 * UpstreamError when the store cannot be reached.
 */
export type EditableUserStore = ViewerEditor & EditsLinks & KeepsPasskeys & MovesViewers & PagesViewers
