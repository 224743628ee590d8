import { createQueue } from '../../../server/work-queue.ts'
import { openMemoryCounter } from '../../../sign-in-limits/memory-counters.ts'
import { createSignInLimits } from '../../../sign-in-limits/sign-in-limits.ts'
import type { PasswordHashing } from '../../../users/passwords/argon2.ts'
import { hashingQueueOptions } from '../../../users/passwords/hashing-queue.ts'
import type { ManagerStore, StoredManager } from '../../cli/manager/accounts/manager-store.ts'
import { acceptedPeriod } from '../../cli/manager/accounts/second-step.ts'

export type Check =
  | { readonly ok: true; readonly manager: StoredManager }
  | { readonly ok: false; readonly reason: 'wrong' | 'limit' }

export interface CheckDeps {
  readonly store: ManagerStore
  readonly passwords: Pick<PasswordHashing, 'read' | 'dummyHash'>
  readonly nowSeconds: () => number
}

const WRONG: Check = { ok: false, reason: 'wrong' }
const LIMIT: Check = { ok: false, reason: 'limit' }

/**
 * Checks passwords and codes of managers. Wrong ones count in memory, with the rules of the login app. Each check that is
 * created has limits of its own.
 */
export function createManagerCheck({ store, passwords, nowSeconds }: CheckDeps) {
  const queue = createQueue(hashingQueueOptions())
  const passwordLimits = createSignInLimits(openMemoryCounter)
  // Apart: the right password would delete the count of wrong codes, and a typed name could count as a wrong code.
  const codeLimits = createSignInLimits(openMemoryCounter)

  async function limited(
    limits: typeof passwordLimits,
    name: string,
    address: string,
    check: () => Promise<StoredManager | null> | StoredManager | null,
  ): Promise<Check> {
    const admission = await limits.admit(name, address)
    if (!admission.ok) return LIMIT
    const { attempt } = admission
    let manager: StoredManager | null
    try {
      manager = await check()
    } catch (error) {
      await attempt.abandoned()
      throw error
    }
    const refusal = manager === null ? await attempt.failed() : await attempt.succeeded()
    if (refusal !== null) return LIMIT
    return manager === null ? WRONG : { ok: true, manager }
  }
  return {
    /** An unknown name takes the time of a wrong password. */
    password: (name: string, password: string, address: string): Promise<Check> =>
      limited(passwordLimits, name, address, async () => {
        const manager = store.find(name)
        const hash = passwords.read(manager?.passwordHash ?? passwords.dummyHash)
        const isRight = hash.ok && (await queue.run(() => hash.verify(password)))
        return isRight ? manager : null
      }),
    /**
     * Checks the code of the second step, and uses it up.
     * @param secret the secret that the manager is setting up; null for the one that is set.
     * @param open opens a sealed secret.
     */
    code(
      manager: StoredManager,
      typed: { readonly code: string; readonly address: string },
      sealed: Uint8Array,
      open: (sealed: Uint8Array, name: string) => string | null,
    ): Promise<Check> {
      return limited(codeLimits, manager.key, typed.address, () => {
        const secret = open(sealed, manager.key)
        if (secret === null) return null
        const period = acceptedPeriod(secret, typed.code, nowSeconds(), manager.lastPeriod)
        if (period === null) return null
        const isFirst = manager.stepSecret === null
        const isTaken = isFirst ? store.setStep(manager.key, sealed, period) : store.usePeriod(manager.key, period)
        return isTaken ? manager : null
      })
    },
  }
}
