import type { DrillPart } from '../../../cli/drill/drill-part.ts'
import refusals from './refusals.json' with { type: 'json' }

/** Doors in a drill: why they keep viewers from the player, by the reason on the screen. */
export const doorsDrill: DrillPart = { refusals }
