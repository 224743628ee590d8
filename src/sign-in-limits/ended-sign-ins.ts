import { accountKey } from './keys.ts'
import type { OpenCounter } from './memory-counters.ts'

/** Longer than any sealed sign-in counts without a renewal. */
const KEPT_SECONDS = 3_600

/** Remembers until when the sign-ins of a viewer have ended: a sealed sign-in from before must open no session. */
export function createEndedSignIns(openCounter: OpenCounter) {
  const ended = openCounter('ended-sign-ins', KEPT_SECONDS)
  return {
    async end(username: string, nowSeconds: number): Promise<void> {
      await ended.set(accountKey(username), Math.floor(nowSeconds), KEPT_SECONDS)
    },
    async hasEnded({ username, signedInAtSeconds }: { username: string; signedInAtSeconds: number }): Promise<boolean> {
      return ((await ended.get(accountKey(username)))?.consumedPoints ?? 0) >= signedInAtSeconds
    },
  }
}
