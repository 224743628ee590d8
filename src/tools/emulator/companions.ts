import type { Companion } from './companion.ts'
import { mailServer } from './mail/companion.ts'
import { provider } from './sso/companion.ts'

/** The servers that run beside the emulated service. */
export const COMPANIONS: readonly Companion[] = [provider, mailServer]
