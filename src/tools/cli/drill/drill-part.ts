import { readConfig } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../errors.ts'
import type { Environment } from '../../../settings/fields.ts'
import type { Viewer } from '../../../users/user-store.ts'
import type { Outcome } from '../terminal/command.ts'
import type { CommandIo } from '../terminal/io.ts'
import type { Lazy } from '../terminal/lazy.ts'
import type { Credentials } from './crowd/plan.ts'
import type { SignInForm } from './crowd/sign-in-form.ts'

export const PASSWORD = 'password'

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

/** What a feature tells a drill. */
export interface DrillPart {
  readonly wayIn?: WayIn
  /** Why the feature keeps viewers with the right password from the player, by the reason on the screen. */
  readonly refusals?: Readonly<Record<string, string>>
  /** Returns the limit on the screens of a viewer. Null without a limit. */
  screenLimitAt?(entryPoint: Pick<EntryPoint, 'features'>): ScreenLimit | null
}

export interface ScreenLimit {
  readonly most: number
  /** The reason on the screen of a viewer with too many screens. */
  readonly reason: string
}

/** The part of a feature that `drill` uses. */
export interface HasDrill {
  readonly drill?: Lazy<DrillPart>
}

/** Undefined for the password. */
export function wayNamed(ways: readonly WayIn[], name: string): WayIn | undefined {
  return ways.find((way) => way.name === name)
}

/**
 * Reads the entry point of an address, with the settings that all entry points share.
 * @throws ConfigError if the settings have no entry point there.
 */
export function entryPointAt(
  { pathname }: URL,
  environment: Environment,
): { readonly entryPoint: EntryPoint; readonly features: Readonly<Record<string, unknown>> } {
  const { entryPoints, features } = readConfig(environment)
  const entryPoint = entryPoints.find(({ basePath }) => pathname === (basePath || '/'))
  if (entryPoint === undefined) throw new ConfigError(`The settings have no entry point at ${pathname}.`)
  return { entryPoint, features }
}
