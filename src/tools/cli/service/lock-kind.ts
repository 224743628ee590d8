import type { LockTarget } from '../../video-service/locks.ts'
import type { Outcome } from '../terminal/command.ts'
import type { CommandIo } from '../terminal/io.ts'
import type { Lazy } from '../terminal/lazy.ts'
import type { TokenChoice } from './access-token/token-choice.ts'

/** A kind of lock besides the hash lock: for another version of viewer authentication. */
export interface LockKind {
  /** The value of `--viewer-auth`. */
  readonly name: string
  /** A paragraph for the help of `lock set`. */
  readonly about: string
  readonly examples: readonly string[]
  /** The option of `lock set` for the file of the key. */
  readonly keyFlag: string
  readonly keyHelp: string
  /** Says how to do what `--rotate` does. */
  readonly rotateHint: string
  set(io: CommandIo, target: LockTarget, given: GivenLock, access: TokenChoice | null): Promise<Outcome>
  /** Compares the lock with the settings of the entry point. */
  show(io: CommandIo, target: LockTarget, entryPoint: string | undefined): Outcome
  remove(io: CommandIo, target: LockTarget, yes: boolean | undefined, access: TokenChoice | null): Promise<Outcome>
  /** Says what applies without a hash lock. Null if this machine knows no lock of this kind. */
  appliesTo(io: CommandIo, serviceUrl: string, target: LockTarget): string | null
}

/** The part of a feature that `lock` uses. */
export interface HasLockKind {
  readonly lockKind?: Lazy<LockKind>
}

/** The options of `lock set`. */
export interface GivenLock {
  readonly entryPoint: string | undefined
  readonly url: string | undefined
  readonly keyFile: string | undefined
  readonly yes: boolean | undefined
}
