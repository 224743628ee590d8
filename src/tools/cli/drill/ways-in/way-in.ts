import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import type { Viewer } from '../../../../users/user-store.ts'
import type { Outcome } from '../../command.ts'
import type { CommandIo } from '../../terminal/io.ts'
import type { Credentials } from '../crowd/plan.ts'
import type { SignInForm } from '../crowd/sign-in-form.ts'

/** The guests to make up. */
export interface CrowdRequest extends Pick<Viewer, 'groups' | 'attributes'> {
  readonly entryPoint: EntryPoint
  /** The settings of the features that all entry points share. */
  readonly features: Readonly<Record<string, unknown>>
  readonly count: number
  /** The longest that a guest may wait for a mail or an answer. */
  readonly maxWaitMs: number
}

/** A way in besides the password, with guests that the drill makes up. A fork may delete it. */
export interface WayIn {
  /** The value of `--way-in`. */
  readonly name: string
  /** True if `--group` and `--attribute` have an effect. */
  readonly takesFields: boolean
  /**
   * Makes guests up, does the work, and removes them, also after a failure.
   * @throws ConfigError if the settings let no such guest in, with what to set.
   */
  withCrowd(
    io: CommandIo,
    request: CrowdRequest,
    work: (guests: readonly Credentials[], form: SignInForm) => Promise<Outcome>,
  ): Promise<Outcome>
}
