import { countWords } from '../../output/words.ts'
import { MOST_VIEWERS } from '../options.ts'
import type { ExpectedResponse } from './expected-response.ts'
import { tryScreen } from './run-drill.ts'

export const MADE_UP_VIEWERS = 100

/** Opens the sign-in screen. Returns a sentence if it is not there. */
export async function faultInScreen(url: URL, expected: ExpectedResponse): Promise<string | null> {
  const address = url.origin + url.pathname
  const { outcome, fault } = await tryScreen(url, expected)
  if (outcome === 'unanswered') return `Cannot reach ${address} (${fault}).`
  return outcome === 'passed' ? null : `${address}: ${fault}.`
}

/** Returns a sentence about a wrong number of viewers. @param available the viewers of the file; null for made-up ones. */
export function faultInCount(available: number | null, wanted: number | undefined): string | null {
  const count = wanted ?? available ?? MADE_UP_VIEWERS
  if (available !== null && available < count) {
    return `The file has only ${countWords(available, 'viewer')} for --count ${count}. Each viewer can sign in once.`
  }
  return count > MOST_VIEWERS ? `A drill has at most ${MOST_VIEWERS} viewers. Use --count.` : null
}
