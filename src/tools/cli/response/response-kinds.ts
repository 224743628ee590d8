import type { ResponseKind } from './response-kind.ts'
import { tokenKind } from './token/token-kind.ts'

/** The kinds of response besides the hash. */
export const RESPONSE_KINDS: readonly ResponseKind[] = [tokenKind]
