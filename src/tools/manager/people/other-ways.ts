import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { KnownPerson } from './known-person.ts'
import { mailWay } from './mail-sign-in/mail-way.ts'
import type { OtherWay } from './other-way.ts'

const OTHER_WAYS: readonly OtherWay[] = [
  mailWay, //
]

/**
 * Returns the names of the ways in without a password that are open to a person.
 * @param entryPoints those that the manager sees. Null if the settings cannot be read.
 */
export async function otherWaysOf(person: KnownPerson, entryPoints: readonly EntryPoint[] | null): Promise<string[]> {
  const open = OTHER_WAYS.map(async ({ name, isOpenTo }) => {
    const at = await Promise.all((entryPoints ?? []).map((one) => isOpenTo(person, one)))
    return at.includes(true) ? [name] : []
  })
  return (await Promise.all(open)).flat()
}
