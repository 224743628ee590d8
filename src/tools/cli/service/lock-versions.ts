import type { LockVersion } from './lock-version.ts'
import { tokenLocks } from './token/token-locks.ts'

/** The versions of viewer authentication besides the hash. */
export const LOCK_VERSIONS: readonly LockVersion[] = [tokenLocks]
