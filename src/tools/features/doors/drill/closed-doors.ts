import type { BrowserAnswer } from '../../../cli/drill/crowd/browser.ts'
import type { DrillPart } from '../../../cli/drill/drill-part.ts'
import refusals from './refusals.json' with { type: 'json' }

/** The page of viewers who wait, at any entry point. */
const WAITING_PAGE = /^(?:\/[^?]*)?\/wait\?pass=/

/** Returns the reason if the app lets the viewer wait for the doors: a page, or the way to it. Null if it does not. */
function reasonToWait({ status, location, reason }: BrowserAnswer): string | null {
  const waits = reason === 'waiting' || (status === 303 && WAITING_PAGE.test(location ?? ''))
  return waits ? 'waiting' : null
}

/** Doors in a drill. `refusals` says why they keep viewers from the player, by the reason on the screen. */
export const doorsDrill: DrillPart = { refusals, reasonToWait }
