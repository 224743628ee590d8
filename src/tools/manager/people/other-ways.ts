import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { codeWay } from '../../features/access-codes/manager/code-way.ts'
import { mailWay } from '../../features/mail-sign-in/manager/mail-way.ts'
import { registrationWay } from '../../features/registration/manager/registration-way.ts'
import { ssoWay } from '../../features/sso/manager/sso-way.ts'
import type { Words } from '../pages/words.ts'
import type { KnownPerson } from './known-person.ts'
import type { OtherWay, WayDeps } from './other-way.ts'
import type { Reason } from './why.ts'

const OTHER_WAYS: readonly OtherWay[] = [
  ssoWay, //
  mailWay,
  registrationWay,
  codeWay,
]

/**
 * Returns the names of the ways in without a password that are open to a person.
 * @param entryPoints those that the manager sees. Null if the settings cannot be read.
 */
export async function otherWaysOf(
  person: KnownPerson,
  entryPoints: readonly EntryPoint[] | null,
  deps: WayDeps,
): Promise<string[]> {
  const open = OTHER_WAYS.map(async ({ name, isOpenTo }) => {
    const at = await Promise.all((entryPoints ?? []).map((one) => isOpenTo(person, one, deps)))
    return at.includes(true) ? [name] : []
  })
  return (await Promise.all(open)).flat()
}

/** Returns why ways are closed to a person who has begun with them, such as a registration that waits for approval. */
export function hindrancesOf(
  person: KnownPerson,
  entryPoints: readonly EntryPoint[] | null,
  words: Words,
): readonly Reason[] {
  const all = (entryPoints ?? []).flatMap((one) =>
    OTHER_WAYS.flatMap((way) => way.hindrance?.(person, one, words) ?? []),
  )
  return [...new Map(all.map((reason) => [JSON.stringify(reason), reason])).values()]
}
