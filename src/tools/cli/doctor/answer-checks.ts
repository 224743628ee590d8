import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { tokenAnswer } from '../../features/token/doctor/token-answer.ts'
import type { AnswerAt, AnswerCheck } from './answer-check.ts'

/** The answers besides the hash. */
export const ANSWER_CHECKS: readonly AnswerCheck[] = [tokenAnswer]

/** Returns the checks of the answer of an entry point. Null with a hash. */
export function answerAt(entryPoint: EntryPoint): AnswerAt | null {
  return ANSWER_CHECKS.map(({ at }) => at(entryPoint)).find((answer) => answer !== null) ?? null
}
