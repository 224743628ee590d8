/** A hash whose form is known: a way to verify it, or why it cannot be verified. */
export type FormReading =
  | UsableForm
  /** The end of a sentence that begins with the hash. */
  | { readonly ok: false; readonly fault: string }

export interface UsableForm {
  readonly ok: true
  readonly verify: (password: string) => Promise<boolean>
  /** True for a hash as this app makes it. Any other hash is replaced at the next sign-in. */
  readonly isCurrent?: boolean
  /** False if the hash reads only the beginning of this password. Absent for a form that reads every byte. */
  readonly readsWhole?: (password: string) => boolean
  /** The end of a sentence that refuses a weak hash, unless an option accepts it. Absent for other forms. */
  readonly weakness?: string
}

/** Reads a hash of one form. Returns null for a text of another form. */
export type HashForm = (text: string) => FormReading | null

/**
 * Returns a form whose hashes match a pattern.
 * @param read gets the groups of the pattern: '' for a group that the hash does not have.
 */
export function formOf(pattern: RegExp, read: (...groups: string[]) => FormReading | null): HashForm {
  return (text) => {
    const match = pattern.exec(text)
    return match && read(...match.slice(1).map((group) => group ?? ''))
  }
}
