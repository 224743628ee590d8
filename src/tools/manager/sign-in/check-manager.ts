import { createQueue } from '../../../server/work-queue.ts'
import { openMemoryCounter } from '../../../sign-in-limits/memory-counters.ts'
import { createSignInLimits } from '../../../sign-in-limits/sign-in-limits.ts'
import type { PasswordHashing } from '../../../users/passwords/argon2.ts'
import { hashingQueueOptions } from '../../../users/passwords/hashing-queue.ts'
import type { ManagerStore, StoredManager } from '../../cli/manager/accounts/manager-store.ts'
import { acceptedPeriod, createSeal } from '../../cli/manager/accounts/second-step.ts'
import type { Visit } from '../door/route.ts'

export type Check =
  | { readonly ok: true; readonly manager: StoredManager }
  /** The reason is for the log: `limit`, `wrong`, or the fault of another second step. */
  | { readonly ok: false; readonly reason: string }

export interface CheckDeps {
  readonly store: ManagerStore
  readonly passwords: Pick<PasswordHashing, 'read' | 'dummyHash'>
  readonly nowSeconds: () => number
}

const WRONG = 'wrong'
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
    check: () => Promise<StoredManager | string> | StoredManager | string,
  ): Promise<Check> {
    const admission = await limits.admit(name, address)
    if (!admission.ok) return LIMIT
    const { attempt } = admission
    let checked: StoredManager | string
    try {
      checked = await check()
    } catch (error) {
      await attempt.abandoned()
      throw error
    }
    const refusal = typeof checked === 'string' ? await attempt.failed() : await attempt.succeeded()
    if (refusal !== null) return LIMIT
    return typeof checked === 'string' ? { ok: false, reason: checked } : { ok: true, manager: checked }
  }
  return {
    /** An unknown name takes the time of a wrong password. */
    password: (name: string, password: string, address: string): Promise<Check> =>
      limited(passwordLimits, name, address, async () => {
        const manager = store.find(name)
        const hash = passwords.read(manager?.passwordHash ?? passwords.dummyHash)
        const isRight = hash.ok && (await queue.run(() => hash.verify(password)))
        return isRight && manager !== null ? manager : WRONG
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
        if (secret === null) return WRONG
        const period = acceptedPeriod(secret, typed.code, nowSeconds(), manager.lastPeriod)
        if (period === null) return WRONG
        const isFirst = manager.stepSecret === null
        const isTaken = isFirst ? store.setStep(manager.key, sealed, period) : store.usePeriod(manager.key, period)
        return isTaken ? manager : WRONG
      })
    },
    /** Checks another second step. Wrong answers and wrong codes count together. */
    otherStep: (manager: StoredManager, address: string, findFault: () => Promise<string | null>): Promise<Check> =>
      limited(codeLimits, manager.key, address, async () => (await findFault()) ?? manager),
  }
}

/**
 * Creates the check of a code in an open session, for acts that need the second step again. It has limits of its own,
 * so that guesses in a session do not lock the manager out of the sign-in.
 */
export function createOwnCodeCheck(deps: CheckDeps & { readonly settings: { readonly secret: string } }) {
  const { code } = createManagerCheck(deps)
  const { open } = createSeal(deps.settings.secret)
  /** Returns the key of the sentence that refuses the code; null for the right one. */
  return async ({ manager: { name }, field }: Pick<Visit, 'manager' | 'field'>): Promise<string | null> => {
    const own = deps.store.find(name)
    if (!own?.stepSecret) return 'signIn.wrongCode'
    const checked = await code(own, { code: field('code'), address: 'own account' }, own.stepSecret, open)
    if (checked.ok) return null
    return checked.reason === 'limit' ? 'signIn.limit' : 'signIn.wrongCode'
  }
}
