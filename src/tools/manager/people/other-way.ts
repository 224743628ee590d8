import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { KnownPerson } from './known-person.ts'

/** A way in without a password. */
export interface OtherWay {
  /** A key of `evening.wayNames`. */
  readonly name: string
  isOpenTo(person: KnownPerson, entryPoint: EntryPoint): Promise<boolean>
}
