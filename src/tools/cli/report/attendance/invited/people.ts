import type { Viewer } from '../../../../../users/user-store.ts'
import type { TimeRange } from '../../../output/time-range.ts'
import type { CommandIo } from '../../../terminal/io.ts'
import type { Lazy } from '../../../terminal/lazy.ts'

/** Chooses the user name in place of an attribute. */
export const USERNAME = 'username'

/** A person who was invited, or who else is in the store. */
export interface Person {
  readonly username: string
  /** The name that the service knows. Null if the person lacks the attribute with that name. */
  readonly identifier: string | null
  readonly groups: readonly string[]
  /** The values that the report is by: groups, or the value of an attribute. */
  readonly values: readonly string[]
  /** False for a viewer of the store who is not in the chosen groups, or is disabled. */
  readonly isInvited: boolean
}

export interface PeopleChoice {
  /** The attribute or column with the name that the service knows. Undefined: what each list has by default. */
  readonly identifier: string | undefined
  /** `group`, the name of an attribute or column, or undefined. */
  readonly by: string | undefined
  /** Only members of one of these groups are invited. Empty: all. */
  readonly groups: readonly string[]
  /** The period of the report. A list leaves out people who were invited only before or after it. Default: all times. */
  readonly range?: TimeRange
}

/** Returns a person of a list. Undefined choices mean the name of the viewer, and no values. */
export function personOf(
  { username, groups, attributes }: Viewer,
  { identifier = USERNAME, by }: Pick<PeopleChoice, 'identifier' | 'by'>,
  isInvited: boolean,
): Person {
  const value = by === undefined ? undefined : attributes[by]
  return {
    username,
    identifier: identifier === USERNAME ? username : (attributes[identifier] ?? null),
    groups,
    values: by === BY_GROUP ? groups : value === undefined ? [] : [value],
    isInvited,
  }
}

/** True for a member of a wanted group, and for all viewers if no group is wanted. */
export function isInGroup({ groups }: Pick<Viewer, 'groups'>, wanted: readonly string[]): boolean {
  return wanted.length === 0 || groups.some((group) => wanted.includes(group))
}

/** Reads the people of a list. @throws ConfigError if there are none. */
export type PeopleSource = (io: CommandIo, choice: PeopleChoice) => Promise<Person[]>

/** The part of a feature that `report attendance` uses. */
export interface HasInvited {
  /** By the value of `--invited`. */
  readonly invited?: Readonly<Record<string, Lazy<PeopleSource>>>
}

/** Stands in `--by` for the groups of a viewer. */
export const BY_GROUP = 'group'
