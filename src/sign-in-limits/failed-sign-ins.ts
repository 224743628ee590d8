/** The failed sign-ins of a viewer that still count. */
export interface FailedSignIns {
  /** From all addresses, since the last success. */
  readonly count: number
  /** Seconds until the account is free again at addresses where it has never signed in; 0 if it is not locked. */
  readonly lockedSeconds: number
  /** `waitSeconds` is the time until the next attempt from this address, or from its IPv6 network; 0 for none. */
  readonly addresses: readonly { readonly address: string; readonly count: number; readonly waitSeconds: number }[]
}

/** A viewer, an address, or both. */
export interface UnlockTarget {
  /** As typed at the sign-in, in any spelling of the same account. */
  readonly username?: string | undefined
  /** For IPv6, its /64. */
  readonly address?: string | undefined
}

/** True if failed sign-ins were deleted. */
export interface UnlockResult {
  readonly viewer: boolean
  readonly address: boolean
}
