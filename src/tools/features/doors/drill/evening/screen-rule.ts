import type { EntryPoint } from '../../../../../entry-points/entry-point.ts'

/** A limit on the screens of a viewer. A fork may delete it. */
export interface ScreenRule {
  /** Returns the screens that a viewer may have at an entry point. Null without a limit. */
  mostAt(entryPoint: Pick<EntryPoint, 'features'>): number | null
  /** The reason on the screen of a viewer with too many screens. */
  readonly reason: string
}
