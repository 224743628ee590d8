import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { registrationGuests } from '../../../../features/registration/guest-way.ts'
import { registrationOf } from '../../../../features/registration/settings/settings.ts'
import type { KnownPerson } from '../../../cli/viewers/show-command.ts'
import type { OtherWay } from '../../../manager/people/other-ways.ts'
import type { RegistrationRows } from '../registrations-of.ts'

/** A registration that is approved. */
export const registrationWay: OtherWay = {
  name: registrationGuests.words,
  isOpenTo: (person, entryPoint) => Promise.resolve(stateAt(person, entryPoint) === 'approved'),
  hindrance(person, entryPoint, words) {
    const state = stateAt(person, entryPoint)
    if (state === null || state === 'approved') return null
    const values = { entryPoint: entryPoint.name, state: words.say(`registrations.states.${state}`) }
    return { text: 'registered', values }
  },
}

function stateAt({ registrations }: KnownPerson, entryPoint: EntryPoint): string | null {
  if (registrationOf(entryPoint) === undefined) return null
  const rows = registrations as RegistrationRows | null | undefined
  return rows?.find((row) => row.entryPoint === entryPoint.name)?.state ?? null
}
