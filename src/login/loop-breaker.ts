/** Counts the fresh responses that one session gets for one return address and content. */
export interface LoopBreaker {
  /** Whether the player has come straight back too often, so that one more response would only be refused again. */
  isLooping(key: string): boolean
  countResponse(key: string): void
}

const FRESH_RESPONSES = 3
const WITHIN_SECONDS = 10

/**
 * A player that refuses our response (wrong secret, wrong clock) sends the viewer straight back, and a signed-in viewer
 * would be passed on at once again, without end. After three fresh responses within ten seconds the next is withheld.
 * In memory only: a loop runs through one browser, and where it is spread over several processes it takes a few more turns.
 * @param nowSeconds UNIX time in seconds.
 */
export function createLoopBreaker(nowSeconds: () => number): LoopBreaker {
  // Two spans of ten seconds, of which the older is dropped whole: nothing has to be looked for to be forgotten.
  let current = new Map<string, number[]>()
  let previous = new Map<string, number[]>()
  let currentUntil = 0

  function turn(now: number): void {
    if (now < currentUntil) return
    previous = now < currentUntil + WITHIN_SECONDS ? current : new Map()
    current = new Map()
    currentUntil = now + WITHIN_SECONDS
  }
  function countSince(responses: readonly number[] | undefined, since: number): number {
    return responses === undefined ? 0 : responses.filter((at) => at > since).length
  }
  return {
    isLooping(key) {
      const now = nowSeconds()
      turn(now)
      const since = now - WITHIN_SECONDS
      return countSince(previous.get(key), since) + countSince(current.get(key), since) >= FRESH_RESPONSES
    },
    countResponse(key) {
      const now = nowSeconds()
      turn(now)
      const responses = current.get(key)
      if (responses === undefined) current.set(key, [now])
      else responses.push(now)
    },
  }
}
