import { tokenKind } from '../../features/token/response/token-kind.ts'
import type { ResponseKind } from './response-kind.ts'

/** The kinds of response besides the hash. */
export const RESPONSE_KINDS: readonly ResponseKind[] = [tokenKind]
