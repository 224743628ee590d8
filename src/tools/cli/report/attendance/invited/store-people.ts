import { readEntryPointSettings } from '../../../../../config.ts'
import { ConfigError } from '../../../../../errors.ts'
import type { EditableUserStore } from '../../../../../users/editable-user-store.ts'
import { canonicalText } from '../../../../../users/viewer-fields.ts'
import { withEditableStore } from '../../../settings/editable-store.ts'
import type { Outcome } from '../../../terminal/command.ts'
import type { CommandIo } from '../../../terminal/io.ts'
import { BY_GROUP, isInGroup, type PeopleChoice, type Person, personOf, USERNAME } from './people.ts'

/** The parameter that the service takes for the name of a viewer. */
const NAME_PARAMETER = 'user'
/** The list of `--invited` that is not a file. */
export const STORE = 'store'

/**
 * Reads all viewers of the user store. Those who may watch are invited: not disabled, and in one of the groups.
 * @throws ConfigError for a store that cannot list its viewers, and for a group or attribute that no viewer has.
 */
export async function storePeople(io: CommandIo, { identifier, by, groups }: PeopleChoice): Promise<Person[]> {
  const attribute = identifier ?? nameAttribute(io.env)
  const wanted = groups.map(canonicalText)
  const people: Person[] = []
  const read = async (store: EditableUserStore): Promise<Outcome> => {
    for await (const { viewer } of store.list()) {
      const isInvited = !viewer.disabled && isInGroup(viewer, wanted)
      people.push(personOf(viewer, { identifier: attribute, by }, isInvited))
    }
    return { ok: true }
  }
  await withEditableStore(io, read).catch((cause: unknown) => {
    if (!(cause instanceof ConfigError)) throw cause
    throw new ConfigError(`--invited ${STORE}: ${cause.message} Or use --invited with a CSV file.`, { cause })
  })
  if (people.length === 0) throw new ConfigError(`--invited ${STORE}: the store has no viewers. Check USER_STORE_URL.`)
  assertKnown('--group', wanted, (group) => people.some((person) => person.groups.includes(group)))
  const named = by === undefined || by === BY_GROUP ? [] : [by]
  assertKnown('--by', named, () => people.some(({ values }) => values.length > 0))
  const asked = identifier === undefined ? [] : [identifier]
  assertKnown('--identifier', asked, () => people.some((person) => person.identifier !== null))
  return people
}

/** @throws ConfigError that names the option, so that a misspelled name is not taken for an empty list. */
function assertKnown(option: string, names: readonly string[], isKnown: (name: string) => boolean): void {
  const unknown = names.find((name) => !isKnown(name))
  if (unknown === undefined) return
  throw new ConfigError(`${option}: no viewer of the store has ${JSON.stringify(unknown)}. Check the spelling.`)
}

/** Returns the attribute that the settings send as the name. A machine without these settings manages viewers too. */
function nameAttribute(environment: CommandIo['env']): string {
  try {
    const { entryPoints } = readEntryPointSettings(environment)
    const sent = entryPoints.flatMap(({ parameters }) => parameters.find(({ name }) => name === NAME_PARAMETER) ?? [])
    const [attribute = USERNAME, ...others] = new Set(sent.map((parameter) => parameter.attribute))
    return others.length === 0 ? attribute : USERNAME
  } catch (error) {
    if (error instanceof ConfigError) return USERNAME
    throw error
  }
}
