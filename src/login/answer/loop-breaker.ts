import { hash } from 'node:crypto'

export type LoopBreaker = ReturnType<typeof createLoopBreaker>

const TARGET_SECONDS = 10
/** Stops a loop whose address changes. Twenty tabs, each with a player, a chat and Q&A, need 60 answers. */
const ANSWERS_PER_SESSION = 100
const SESSION_SECONDS = 60
/** Limits the memory to about 40 MB. Beyond it, the oldest counts are dropped, and a loop takes a few more turns. */
const MOST_KEYS = 50_000

/**
 * Stops redirect loops. A player that refuses our answer (wrong secret or key, wrong clock) sends the viewer back
 * immediately. The app would redirect a signed-in viewer again, forever. The app stops after a few answers within ten
 * seconds for one target, or after 100 answers within a minute. The counts are in memory: with several copies of the
 * app, a loop takes a few more turns. A target is an entry point, a return address, and a channel or video.
 */
export function createLoopBreaker(nowSeconds: () => number) {
  const ofTargets = countRecent(nowSeconds, TARGET_SECONDS)
  const ofKeys = countRecent(nowSeconds, TARGET_SECONDS)
  const ofSessions = countRecent(nowSeconds, SESSION_SECONDS)
  // Browsers choose the target, so a key has a fixed length.
  const keyOf = (sessionId: string, target: string) => hash('sha256', `${sessionId} ${target}`, 'base64url')

  return {
    /** Returns the number of answers with this key, within ten seconds. */
    answersWith: (sessionId: string, target: string, key: string): number =>
      ofKeys.countOf(keyOf(sessionId, `${target} ${key}`)),
    /** True if the viewer came back so often that the player would refuse the next answer too. */
    isLooping: (sessionId: string, target: string, answersOfLoop: number): boolean =>
      ofTargets.countOf(keyOf(sessionId, target)) >= answersOfLoop ||
      ofSessions.countOf(sessionId) >= ANSWERS_PER_SESSION,
    /** Counts an answer. @param key of the answer; null unless the entry point has two. */
    countAnswer(sessionId: string, target: string, key: string | null = null): void {
      if (key !== null) ofKeys.add(keyOf(sessionId, `${target} ${key}`))
      ofTargets.add(keyOf(sessionId, target))
      ofSessions.add(sessionId)
    },
  }
}

function countRecent(nowSeconds: () => number, withinSeconds: number) {
  // Two periods. The older map is dropped as a whole, so that old keys need no clean-up.
  let current = new Map<string, number[]>()
  let previous = new Map<string, number[]>()
  let startedAt = Number.NEGATIVE_INFINITY

  function rotate(now: number): void {
    const age = now - startedAt
    // Below zero if the clock was set back: then all counts are dropped.
    if (age >= 0 && age < withinSeconds && current.size < MOST_KEYS) return
    previous = age >= 0 && age < 2 * withinSeconds ? current : new Map()
    current = new Map()
    startedAt = now
  }
  return {
    countOf(key: string): number {
      const now = nowSeconds()
      rotate(now)
      const times = [...(previous.get(key) ?? []), ...(current.get(key) ?? [])]
      return times.filter((at) => at > now - withinSeconds).length
    },
    add(key: string): void {
      const now = nowSeconds()
      rotate(now)
      const times = current.get(key)
      if (times === undefined) current.set(key, [now])
      else times.push(now)
    },
  }
}
