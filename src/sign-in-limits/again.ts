import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenCounter } from './memory-counters.ts'

const AGAIN_SECONDS = 10
const MOST_FORMS = 2_000
const LOOK_AGAIN_MS = 50
/** The count of a form whose work is done. A smaller count says that the work runs. */
const DONE = 1_000_000

/**
 * Runs the work of a form once. The same form again within ten seconds is not worked on again, also while the work runs, and
 * also at another copy of the app. A work that failed, or returned false, is done again.
 * @param form with the name of its page.
 * @returns false if the work returned false.
 */
export type Again = (form: unknown, work: () => Promise<boolean>) => Promise<boolean>

/** Creates the memory of forms, among the counts that copies share. Keeps only keyed digests of forms. */
export function createAgain(openCounter: OpenCounter, [secret = '']: readonly string[]): Again {
  const forms = openCounter('forms-again', AGAIN_SECONDS, MOST_FORMS)
  const again: Again = async (form, work) => {
    const key = createHmac('sha256', `again ${secret}`).update(JSON.stringify(form)).digest('base64url')
    const { consumedPoints } = await forms.penalty(key)
    if (consumedPoints > DONE) return true
    if (consumedPoints > 1) {
      // The count goes when the work failed, and when the copy that does it has stopped.
      let count = await forms.get(key)
      while (count !== null && count.consumedPoints < DONE) {
        await sleep(LOOK_AGAIN_MS)
        count = await forms.get(key)
      }
      return count !== null || (await again(form, work))
    }
    let isDone = false
    try {
      isDone = await work()
    } finally {
      if (isDone) await forms.set(key, DONE, AGAIN_SECONDS)
      else await forms.delete(key)
    }
    return isDone
  }
  return again
}
