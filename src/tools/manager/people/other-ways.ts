import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import type { KnownPerson } from '../../cli/viewers/show-command.ts'
import type { Words } from '../pages/words.ts'

/** A reason why a viewer cannot sign in or watch, and the act that helps. */
export interface Reason {
  /** A key of `why`. */
  readonly text: string
  readonly values?: Readonly<Record<string, string | number>>
  readonly remedy?: 'enable' | 'invite' | 'unlock' | 'edit'
}

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
