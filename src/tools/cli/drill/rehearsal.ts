import type { Figure } from '../html-page/page-model.ts'
import type { Confirmation } from '../terminal/confirm.ts'
import type { ExpectedResponse } from './crowd/expected-response.ts'
import type { Credentials } from './crowd/plan.ts'
import type { Course, DrillRecord } from './crowd/run-drill.ts'
import type { SignInForm } from './crowd/sign-in-form.ts'
import type { Check } from './verdict/criteria.ts'

/** A kind of drill: its viewers, its events, and the checks of its result. */
export interface Rehearsal {
  /** The beginning of a title, such as `Drill`. */
  readonly name: string
  /** As an operator types it. */
  readonly command: string
  /** The sign-in screen. */
  readonly url: URL
  /** The rate at the peak of the arrivals, as a multiple of the average rate. */
  readonly peakFactor: number
  readonly holds?: ExpectedResponse['holds']
  /** Asks the operator, before anything changes. */
  confirm?(): Promise<Confirmation>
  /** Plans the drill, once its viewers are there. */
  plan(viewers: readonly Credentials[], form: SignInForm): Plan
}

export interface Plan extends Course {
  /** Tell the operator what will happen. */
  readonly sentences: readonly string[]
  judge(record: DrillRecord): Verdict
}

/** The result of a drill, and what its page says besides. */
export interface Verdict {
  readonly checks: readonly Check[]
  /** A sentence about a drill whose checks are all met. */
  readonly summary: string
  readonly figures: readonly Figure[]
  /** A time to show second by second. */
  readonly closeUp: { readonly title: string; readonly fromMs: number; readonly toMs: number } | null
  readonly notes: readonly string[]
}
