import type { OpenCounter } from '../../sign-in-limits/memory-counters.ts'

/** Divides the mails of an hour, so that one entry point cannot use up all. Only mails that are sent count. */
export type MailShares = ReturnType<typeof createMailShares>

export type GiveBack = () => Promise<void>

export const HOUR_SECONDS = 3_600
const COMMON = 'common'
const RESERVE = 'reserve'
/** A network may always ask for as many mails, even if they are more than its share. */
const FEWEST_OF_NETWORK = 300

/** Divides the mails: half in equal shares for the entry points, a quarter for all that need more, a quarter in reserve. */
export function partsOf(mailsPerHour: number, entryPoints: number) {
  const reserve = Math.floor(mailsPerHour / 4)
  const own = Math.floor(mailsPerHour / 2 / entryPoints)
  return { own, common: mailsPerHour - reserve - own * entryPoints, reserve }
}

/** Returns the mails that a network may ask for in an hour: a quarter. All requests count, so that it tells of no mail. */
export function mostOfNetwork(mailsPerHour: number, fewest = FEWEST_OF_NETWORK): number {
  return Math.max(fewest, Math.ceil(mailsPerHour / 4))
}

/** Creates the shares. @param countEntryPoints returns the number of entry points with such mails; one at least. */
export function createMailShares(
  openCounter: OpenCounter,
  name: string,
  mailsPerHour: number,
  countEntryPoints: () => number,
) {
  const counter = openCounter(name, HOUR_SECONDS)
  const ownKey = (entryPoint: string) => `of ${entryPoint}`
  return {
    /**
     * Counts a mail before it is sent: in the share of its entry point, then in the common part, then in the reserve.
     * @param isListed true for an address that may use the reserve: on a list, registered, or signed in before.
     * @returns a function to call if the mail was not sent. Null if no part has a mail left.
     */
    async take(entryPoint: string, isListed: boolean): Promise<GiveBack | null> {
      const { own, common, reserve } = partsOf(mailsPerHour, countEntryPoints())
      const parts = [[ownKey(entryPoint), own] as const, [COMMON, common] as const, [RESERVE, reserve] as const]
      for (const [key, most] of isListed ? parts : parts.slice(0, -1)) {
        const { consumedPoints } = await counter.penalty(key)
        if (consumedPoints <= most) return () => counter.giveBack(key, 1)
        await counter.giveBack(key, 1)
      }
      return null
    },
    /** True if an entry point has no mail left besides the reserve. */
    async isUsedUp(entryPoint: string): Promise<boolean> {
      const { own, common } = partsOf(mailsPerHour, countEntryPoints())
      const [inOwn, inCommon] = await Promise.all([counter.get(ownKey(entryPoint)), counter.get(COMMON)])
      return (inOwn?.consumedPoints ?? 0) >= own && (inCommon?.consumedPoints ?? 0) >= common
    },
  }
}
