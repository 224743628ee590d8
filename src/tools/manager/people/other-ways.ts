import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import type { KnownPerson } from '../../cli/viewers/show-command.ts'
import type { Words } from '../pages/words.ts'
import type { Reason } from './why.ts'

export interface WayDeps {
  readonly env: CommandIo['env']
  readonly nowSeconds: () => number
}

/** A way in without a password. */
export interface OtherWay {
  /** A key of `evening.wayNames`. */
  readonly name: string
  isOpenTo(person: KnownPerson, entryPoint: EntryPoint, deps: WayDeps): Promise<boolean>
  /** Returns why the way is closed to a person who has begun with it. Null for all others. */
  hindrance?(person: KnownPerson, entryPoint: EntryPoint, words: Words): Reason | null
}

/**
 * Returns the names of the ways in without a password that are open to a person.
 * @param entryPoints those that the manager sees. Null if the settings cannot be read.
 */
export async function otherWaysOf(
  person: KnownPerson,
  entryPoints: readonly EntryPoint[] | null,
  ways: readonly OtherWay[],
  deps: WayDeps,
): Promise<string[]> {
  const open = ways.map(async ({ name, isOpenTo }) => {
    const at = await Promise.all((entryPoints ?? []).map((one) => isOpenTo(person, one, deps)))
    return at.includes(true) ? [name] : []
  })
  return (await Promise.all(open)).flat()
}

/** Returns why ways are closed to a person who has begun with them, such as a registration that waits for approval. */
export function hindrancesOf(
  person: KnownPerson,
  entryPoints: readonly EntryPoint[] | null,
  ways: readonly OtherWay[],
  words: Words,
): readonly Reason[] {
  const all = (entryPoints ?? []).flatMap((one) => ways.flatMap((way) => way.hindrance?.(person, one, words) ?? []))
  return [...new Map(all.map((reason) => [JSON.stringify(reason), reason])).values()]
}
