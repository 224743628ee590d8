import type { BrowserAnswer } from '../../../cli/drill/crowd/browser.ts'
import type { DrillPart } from '../../../cli/drill/drill-part.ts'

/** The page of viewers who wait, at any entry point. */
const WAITING_PAGE = /^(?:\/[^?]*)?\/wait\?pass=/

/** Why closed doors keep viewers from the player, by the reason on the screen. */
const closedDoors: Readonly<Record<string, string>> = {
  'not-open-yet': 'the doors are closed. Open them with viewer-auth doors --opens, or rehearse when they are open',
  over: 'the doors have closed for good. Move them with viewer-auth doors --closes',
  waiting:
    'viewers wait for the doors. Open them with viewer-auth doors --opens, or rehearse the opening with drill --evening',
}

/** Returns the reason if the app lets the viewer wait for the doors: a page, or the way to it. Null if it does not. */
function reasonToWait({ status, location, reason }: BrowserAnswer): string | null {
  const waits = reason === 'waiting' || (status === 303 && WAITING_PAGE.test(location ?? ''))
  return waits ? 'waiting' : null
}

/** Doors in a drill. */
export const doorsDrill: DrillPart = { refusals: closedDoors, reasonToWait }
