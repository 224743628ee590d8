/** Counts the responses that one session gets for one return address and content. */
export interface LoopBreaker {
  /** True if the viewer came back so often that the player would refuse the next response too. */
  isLooping(key: string): boolean
  countResponse(key: string): void
}

const FRESH_RESPONSES = 3
const WITHIN_SECONDS = 10

/**
 * Stops redirect loops. A player that refuses our response (wrong secret, wrong clock) sends the viewer back
 * immediately. The app would redirect a signed-in viewer again, forever. After three responses within ten seconds the
 * app sends no more. The counts are in memory: with several copies of the app, a loop takes a few more turns.
 * @param nowSeconds UNIX time in seconds.
 */
export function createLoopBreaker(nowSeconds: () => number): LoopBreaker {
  // Two periods of ten seconds. The older map is dropped as a whole, so that old keys need no clean-up.
  let current = new Map<string, number[]>()
  let previous = new Map<string, number[]>()
  let currentUntil = 0

  function rotate(now: number): void {
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
      rotate(now)
      const since = now - WITHIN_SECONDS
      return countSince(previous.get(key), since) + countSince(current.get(key), since) >= FRESH_RESPONSES
    },
    countResponse(key) {
      const now = nowSeconds()
      rotate(now)
      const responses = current.get(key)
      if (responses === undefined) current.set(key, [now])
      else responses.push(now)
    },
  }
}
