import { countWords } from '../../output/words.ts'
import { MOST_VIEWERS } from '../options.ts'
import { codeOf, openBrowser } from './browser.ts'
import type { ExpectedResponse } from './expected-response.ts'
import { type Judgment, judge } from './judge.ts'

export const MADE_UP_VIEWERS = 100
/** More would need more than one machine. The peak of the arrivals counts. */
const MOST_ARRIVALS_A_SECOND = 500

/** Opens the sign-in screen once, before the drill. Returns a sentence if it is not there. */
export async function faultInScreen(url: URL, expected: ExpectedResponse): Promise<string | null> {
  const address = url.origin + url.pathname
  const browser = openBrowser(url.origin)
  const opening = browser.open(url.pathname + url.search, false)
  const { outcome, fault } = await opening
    .then((answer) => judge('screen', answer, '', expected, Date.now() / 1000))
    .catch((error: unknown): Judgment => ({ outcome: 'unanswered', fault: codeOf(error) }))
  browser.close()
  if (outcome === 'unanswered') return `Cannot reach ${address} (${fault}).`
  return outcome === 'passed' ? null : `${address}: ${fault}.`
}

/**
 * Returns a sentence about a wrong number of viewers.
 * @param available the viewers of the file; null for made-up ones.
 * @param peakFactor the rate at the peak of the arrivals, as a multiple of the average rate.
 */
export function faultInCrowd(
  available: number | null,
  { count: wanted, over }: { readonly count?: number; readonly over: number },
  peakFactor: number,
): string | null {
  const count = wanted ?? available ?? MADE_UP_VIEWERS
  if (available !== null && available < count) {
    return `The file has only ${countWords(available, 'viewer')} for --count ${count}. Each viewer can sign in once.`
  }
  if (count > MOST_VIEWERS) return `A drill has at most ${MOST_VIEWERS} viewers. Use --count.`
  const peak = Math.ceil((count / over) * 1000 * peakFactor)
  if (peak <= MOST_ARRIVALS_A_SECOND) return null
  return `${count} viewers would arrive at up to ${peak} a second, more than ${MOST_ARRIVALS_A_SECOND}. Use a longer --over.`
}
