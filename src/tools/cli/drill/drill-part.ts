import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { Lazy } from '../lazy.ts'
import type { BrowserAnswer } from './crowd/browser.ts'
import type { WayIn } from './ways-in/way-in.ts'

/** What a feature tells a drill. */
export interface DrillPart {
  /** A way in besides the password, for `--way-in`. */
  readonly wayIn?: WayIn
  /** Why the feature keeps viewers with the right password from the player, by the reason on the screen. */
  readonly refusals?: Readonly<Record<string, string>>
  /** Returns the reason if the app lets the viewer wait on a page of its own. Null if it does not. */
  reasonToWait?(answer: BrowserAnswer): string | null
  /** A limit on the screens of a viewer. */
  readonly screenRule?: ScreenRule
}

export interface ScreenRule {
  /** Returns the screens that a viewer may have at an entry point. Null without a limit. */
  mostAt(entryPoint: Pick<EntryPoint, 'features'>): number | null
  /** The reason on the screen of a viewer with too many screens. */
  readonly reason: string
}

/** The part of a feature that `drill` uses. */
export interface HasDrill {
  readonly drill?: Lazy<DrillPart>
}
