import { ConfigError } from '../../../../errors.ts'
import { guestOf } from '../../../../features/registration/guest.ts'
import { BY_GROUP, type PeopleChoice, type Person } from '../../../cli/report/attendance/invited/people.ts'
import type { CommandIo } from '../../../cli/terminal/io.ts'
import { type OpenRegistrations, withAllRegistrations } from '../open-registrations.ts'

const PAGE = 500

/**
 * Reads the approved guests of all entry points. A guest of several counts once.
 * @throws ConfigError without an approved guest.
 */
export async function registeredPeople(io: CommandIo, choice: PeopleChoice): Promise<Person[]> {
  const people = new Map<string, Person>()
  await withAllRegistrations(io, async (opened) => {
    for (const one of opened) for await (const person of guestsIn(one, choice)) people.set(person.username, person)
  })
  if (people.size > 0) return [...people.values()]
  throw new ConfigError('--invited registrations: there is no approved registration. Check REGISTRATION.')
}

async function* guestsIn({ registrations }: OpenRegistrations, { identifier, by, groups: wanted }: PeopleChoice) {
  let after: string | undefined
  do {
    const page = await registrations.page({ state: 'approved', after, limit: PAGE })
    for (const registration of page.registrations) {
      const { username, groups, attributes } = guestOf(registration, registrations.settings, 0).viewer
      const value = by === undefined ? undefined : attributes[by]
      const person: Person = {
        username,
        identifier: identifier === undefined ? username : (attributes[identifier] ?? null),
        groups,
        values: by === BY_GROUP ? groups : value === undefined ? [] : [value],
        isInvited: wanted.length === 0 || groups.some((group) => wanted.includes(group)),
      }
      yield person
    }
    after = page.next ?? undefined
  } while (after !== undefined)
}
