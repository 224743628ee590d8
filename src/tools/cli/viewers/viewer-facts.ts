import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { Viewer } from '../../../users/user-store.ts'
import type { FeatureColumn } from '../import/viewer-file.ts'
import type { CommandContext } from '../terminal/command.ts'
import { type Lazy, loadAll } from '../terminal/lazy.ts'
import type { Inviting } from './inviting.ts'
import type { FactReader, HistoryReader } from './shown-viewer.ts'

/** What a feature knows of viewers, for commands and pages. */
export interface ViewerFacts {
  /** A line of `viewers show`. */
  readonly fact?: FactReader
  /** A source that knows earlier sign-ins of a viewer. */
  readonly history?: HistoryReader
  /** Returns the state of a viewer who is not disabled. Null for a viewer without a state of this feature. */
  stateOf?(viewer: Viewer, nowSeconds: number): string | null
  /** A column that an import turns into attributes. @param zone of times without an offset; default: of the machine. */
  column?(zone?: string): FeatureColumn
  /** Returns a sentence after a new password, such as one about another way to sign in. Null for none. */
  noteOnNewPassword?(store: EditableUserStore, username: string): Promise<string | null>
  /** The end of an account, with a field of its own on pages. */
  readonly accountEnd?: AccountEnd
  /** What belongs to viewers, and is not exported. */
  readonly notExported?: string
  /** Invites viewers to set their first password. */
  readonly inviting?: Inviting
  readonly records?: PersonRecords
  /** Returns SQLite files with such records. */
  files?(env: Env): readonly string[]
}

/** Records with the name of a person, besides account, sessions and counts. */
export interface PersonRecords {
  /** Their name in the export. */
  readonly field: string
  /** Returns the records without secrets. Absent if a history has them. @throws ConfigError without the settings of the app. */
  find?(env: Env, username: string): Promise<readonly object[]>
  /**
   * Deletes the records, or takes the name out of them. Returns their number.
   * @param sees false for the name of an entry point whose records stay.
   */
  forget(env: Env, username: string, sees: (entryPoint: string) => boolean): Promise<number>
}

type Env = CommandContext['io']['env']

/** The end of an account, which a feature keeps in attributes. */
export interface AccountEnd {
  /** The attribute of a new end. */
  readonly attribute: string
  /** Returns the names of the attributes that are ends. */
  namesIn(attributes: Attributes): string[]
  /** Returns the end that counts. Null for none. */
  endOf(attributes: Attributes): { readonly seconds: number } | 'unreadable' | null
}

type Attributes = Readonly<Record<string, string | null>>

/** What features know of viewers, in the order of their list. */
export interface HasViewerFacts {
  readonly viewers?: Lazy<ViewerFacts>
}

/** Loads what features know of viewers. */
export async function viewerFactsOf({
  features,
}: Pick<CommandContext<HasViewerFacts>, 'features'>): Promise<readonly ViewerFacts[]> {
  return await loadAll(features.map(({ viewers }) => viewers))
}

/** Returns the way to invite viewers, if a feature has one. */
export function invitingIn(features: readonly ViewerFacts[]): Inviting | undefined {
  return features.find(({ inviting }) => inviting !== undefined)?.inviting
}
