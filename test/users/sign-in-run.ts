import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { OverloadedError, UpstreamError } from '../../src/errors.ts'
import type { PasswordHashing } from '../../src/users/passwords/argon2.ts'
import type { UserStore } from '../../src/users/user-store.ts'

export const password = 'correct horse battery'

/** Hashing that takes no time, so that only the store is measured. */
export const quickPasswords: PasswordHashing = quickHashing()

/** @param needsRehash the answer for every hash and password. */
export function quickHashing(needsRehash = false): PasswordHashing {
  return {
    hash: (text) => Promise.resolve(`quick:${text}`),
    read: (hash) =>
      hash.startsWith('quick:')
        ? {
            ok: true,
            verify: (text) => Promise.resolve(hash === `quick:${text}`),
            needsRehash: () => needsRehash,
          }
        : { ok: false, fault: 'is of no known form' },
    dummyHash: 'quick:',
  }
}

type Outcome = 'in' | 'refused' | 'away' | 'busy'

/** Signs ada in with the right and the wrong password in turn. Throws if the store mixes them up. */
export function signInRun(store: UserStore) {
  const outcomes: { outcome: Outcome; tookMs: number }[] = []
  let count = 0
  async function once(): Promise<Outcome> {
    count += 1
    const isRight = count % 2 === 0
    const start = performance.now()
    const outcome = await store.authenticate('ada', isRight ? password : 'wrong').then(
      (answer): Outcome => {
        if (answer.ok !== isRight) throw new Error(`With the ${isRight ? 'right' : 'wrong'} password: ${answer.ok}`)
        return answer.ok ? 'in' : 'refused'
      },
      (error: unknown): Outcome => {
        if (error instanceof UpstreamError) return 'away'
        if (error instanceof OverloadedError) return 'busy'
        throw error
      },
    )
    outcomes.push({ outcome, tookMs: performance.now() - start })
    return outcome
  }
  return {
    outcomes,
    longestMs: () => Math.max(...outcomes.map(({ tookMs }) => tookMs)),
    /** Signs in 20 times at once, again and again. @returns a function that stops it. */
    start(): () => Promise<void> {
      let isStopped = false
      const signInRepeatedly = async () => {
        while (!isStopped) {
          await once()
          await sleep(5)
        }
      }
      const running = Promise.all(Array.from({ length: 20 }, signInRepeatedly))
      return async () => {
        isStopped = true
        await running
      }
    },
    /** Resolves at the next successful sign-in. The breaker allows a trial after each pause. */
    async recover(): Promise<void> {
      for (;;) {
        const outcome = await once()
        if (outcome === 'in') return
        await sleep(10)
      }
    },
    async until(wanted: Outcome): Promise<void> {
      while (!outcomes.some(({ outcome }) => outcome === wanted)) await sleep(5)
    },
  }
}
