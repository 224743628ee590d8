import type { Visit } from '../door/route.ts'
import type { LiveSession } from '../door/sessions.ts'
import type { Words } from '../pages/words.ts'

/** A second step that managers may use in place of a code, once they have set up both. */
export interface OtherStep {
  /** The value of `step` in its form, which is posted to the page of the second step. */
  readonly name: string
  /** The key of the sentence that refuses a wrong answer. */
  readonly wrong: string
  /** Returns the HTML of its form. Empty if the manager has not set it up. */
  offer(session: LiveSession, words: Words): string
  /** Checks an answer, and uses it up. Returns the fault for the log; null for the right answer. */
  findFault(session: LiveSession, field: (name: string) => string): Promise<string | null>
  /** Returns the HTML for the page of the own account. */
  own(visit: Visit): string
}
