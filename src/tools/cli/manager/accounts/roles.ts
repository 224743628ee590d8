/** Roles of managers, the one with the fewest rights last. */
export const ROLES = ['event-manager', 'help-desk', 'reader'] as const
export type Role = (typeof ROLES)[number]

/** A person who uses the page for managers. */
export interface Manager {
  readonly name: string
  readonly role: Role
  /** The entry points whose viewers and figures the manager sees. Null for all. */
  readonly entryPoints: readonly string[] | null
}
