import { tokenLocks } from '../../features/token/service/token-locks.ts'
import type { LockKind } from './lock-kind.ts'

/** The kinds of lock besides the hash lock. */
export const LOCK_KINDS: readonly LockKind[] = [tokenLocks]
