import type { LockKind } from './lock-kind.ts'
import { tokenLocks } from './token/token-locks.ts'

/** The kinds of lock besides the hash lock. */
export const LOCK_KINDS: readonly LockKind[] = [tokenLocks]
