import type { OtherAnswer } from './other-answer.ts'
import { tokenAnswer } from './token/token-answer.ts'

/** The answers besides the hash. */
export const OTHER_ANSWERS: readonly OtherAnswer[] = [tokenAnswer]
