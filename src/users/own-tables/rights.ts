/** Rights that the login app needs on a table. */
interface NeededRights {
  readonly table: string
  /** Besides SELECT, which a table of a later version lacks too. */
  readonly rights: readonly string[]
  /** A way without the rights, as the end of a sentence. */
  readonly instead: string
}

/** Checks at the start that the app has these rights. @throws ConfigError if the role of the app lacks one of them. */
export type AssertRights = (...needed: readonly NeededRights[]) => Promise<void>

/** A file belongs to the app. */
export const hasAllRights: AssertRights = () => Promise.resolve()
