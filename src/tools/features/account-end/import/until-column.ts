import { ConfigError } from '../../../../errors.ts'
import { accountEndOf, endNamesIn } from '../../../../features/account-end/account-end.ts'
import type { FeatureColumn } from '../../../cli/import/viewer-file.ts'
import { changesFor, readUntil } from '../until.ts'

type Attributes = Readonly<Record<string, string | null>>

/** Returns the column `until` of an import. @param zone of times without an offset; by default that of this machine. */
export const untilColumn = (zone?: string): FeatureColumn => ({
  field: 'until',
  /** For the help. */
  about: 'until (when the account ends, such as 2026-11-30: the end of this day, in the time zone of this machine)',
  /**
   * Returns the attributes with the end, or the fault as the end of a sentence that begins with the line.
   * @param text undefined without a value; empty to remove the end.
   */
  read(text: string | undefined, attributes: Attributes): Attributes | string {
    const given = accountEndOf(Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null)))
    if (given === 'unreadable') return 'has an accountEndsAt that is not a time with a zone'
    if (text === undefined) return attributes
    if (endNamesIn(attributes).length > 0) return 'has both an until and an accountEndsAt'
    try {
      const end = readUntil('"until"', text.trim() === '' ? 'never' : text.trim(), zone)
      return { ...attributes, ...(end === null ? { accountEndsAt: null } : changesFor({}, end)) }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return `cannot be imported: ${error.message.replace(/\.$/, '')}`
    }
  },
})
