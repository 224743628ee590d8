import type { Config } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { CommandIo } from '../terminal/io.ts'
import { type Lazy, loadAll } from '../terminal/lazy.ts'
import type { ReadText } from '../terminal/read-standard-input.ts'
import type { AnswerAt, AnswerCheck } from './answer-check.ts'
import type { Finding } from './finding.ts'

/** The parts of a feature that the doctor uses. */
export interface HasChecks {
  readonly check?: Lazy<FeatureCheck>
  readonly answerCheck?: Lazy<AnswerCheck>
}

/** The settings of the app, with the checks of its features. */
export interface DoctorConfig extends Config, FeatureChecks {}

export interface FeatureChecks {
  /** In the order of their findings. */
  readonly featureChecks: readonly FeatureCheck[]
  /** Those of answers in place of the hash. */
  readonly answerChecks: readonly AnswerCheck[]
}

/** A finding about an entry point that is reported only if the verdict is about it. */
export interface Untried {
  readonly entryPoint: EntryPoint
  readonly finding: Finding
}

/** A form of one button. The path is below that of the entry point. */
export interface Button {
  readonly path: string
  /** Besides the fields of the player. */
  readonly fields: Readonly<Record<string, string>>
}

/** A way in that the doctor tries only with an option, or not at all. */
export interface WayIn {
  /** Follows "No sign-in was tried". */
  readonly name: string
  /** The option that tries it, as commander names it, and as it is typed. */
  readonly option: string
  readonly flags: string
  isAt(entryPoint: Pick<EntryPoint, 'features' | 'hasPasswordForm'>): boolean
}

/** A form on a screen. Its path is below that of the entry point. */
export interface ScreenForm {
  readonly path: string
  readonly fields: readonly string[]
}

/** The forms that a feature adds to an entry point. */
export interface FeatureForms {
  isAt(entryPoint: EntryPoint): boolean
  /** `at` is its screen: a path or a query. `typed` is a field, and the option whose value it takes. */
  readonly first?: ScreenForm & { readonly at: string; readonly typed?: readonly [field: string, option: string] }
  /** Further paths. The app answers an empty form there with a page of its own, and logs nothing. */
  readonly paths: readonly string[]
}

/** A form that the test viewer may use in place of the password. */
export interface SignInTrial {
  /** Of its option, such as `code` for `--code`. */
  readonly name: string
  /** In the help. */
  readonly about: string
  isAt(entryPoint: EntryPoint): boolean
  /** Says that the option has no effect at an entry point. */
  readonly none: string
  /** Reads what is typed into the form. It is never an argument. */
  read(io: CommandIo): Promise<ReadText>
  form(typed: string, entryPoint: EntryPoint): Button
  /** A code and a sentence for each reason of a refusal that only this form has. */
  readonly causes: Causes
}

export type Causes = Readonly<Record<string, { readonly code: string; readonly cause: string }>>

export interface CheckOption {
  /** As commander names it. */
  readonly name: string
  readonly flags: string
  /** In the help. */
  readonly about: string
  /** Returns the end of a sentence about a wrong value; null for a right one. */
  fault(value: string): string | null
}

/** The checks of a feature that a fork may delete. */
export interface FeatureCheck {
  /** Runs after the checks of the app. @returns the findings about entry points that were not tried. */
  check?(
    config: DoctorConfig,
    isAppThere: boolean,
    signal: AbortSignal,
    option?: string,
  ): AsyncGenerator<Finding, readonly Untried[]> | Generator<Finding, readonly Untried[]>
  /** An option of its own, whose value the check gets. */
  readonly option?: CheckOption
  /** Returns why the feature keeps the test viewer from the player after the right password. Null if it does not. */
  explainSignIn?(answer: Response, config: Config, entryPoint: EntryPoint, signal: AbortSignal): Promise<Finding | null>
  /** Returns the button on a screen that asks a viewer before the player gets its answer. Null for another screen. */
  buttonOn?(screen: Response, entryPoint: EntryPoint): Promise<Button | null>
  /** Causes of refusals that come from the feature, also after the right password. */
  readonly causes?: Causes
  /** The names in `away` of `/health/ready` that checks of the feature report. */
  readonly away?: readonly string[]
  readonly trial?: SignInTrial
  readonly wayIn?: WayIn
  readonly forms?: FeatureForms
  /** The window in which the feature signs in. */
  readonly window?: {
    /** Its purpose, in texts. */
    readonly name: string
    isOpenedBy(entryPoint: Pick<EntryPoint, 'features'>): boolean
  }
}

export async function loadChecks(features: readonly HasChecks[]): Promise<FeatureChecks> {
  const featureChecks = await loadAll(features.map(({ check }) => check))
  return { featureChecks, answerChecks: await loadAll(features.map(({ answerCheck }) => answerCheck)) }
}

/** Returns the checks of the answer of an entry point. Null with a hash. */
export function answerAt(
  { answerChecks }: Pick<FeatureChecks, 'answerChecks'>,
  entryPoint: EntryPoint,
): AnswerAt | null {
  return answerChecks.map(({ at }) => at(entryPoint)).find((answer) => answer !== null) ?? null
}
