import { ConfigError } from '../../../../errors.ts'
import { guestOf } from '../../../../features/registration/guest.ts'
import { isInGroup, type PeopleChoice, type Person, personOf } from '../../../cli/report/attendance/invited/people.ts'
import type { CommandIo } from '../../../cli/terminal/io.ts'
import { type OpenRegistrations, pagesOf, withAllRegistrations } from '../open-registrations.ts'

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

async function* guestsIn({ registrations }: OpenRegistrations, choice: PeopleChoice) {
  for await (const page of pagesOf(registrations, { state: 'approved' })) {
    for (const registration of page) {
      const { viewer } = guestOf(registration, registrations.settings, 0)
      yield personOf(viewer, choice, isInGroup(viewer, choice.groups))
    }
  }
}
