import type { EntryPoint } from '../../../src/entry-points/entry-point.ts'
import type { LoginApp, LoginAppOptions } from '../start-login-app.ts'

/** A screen as the app sends it to a viewer. */
export interface Screen {
  readonly name: string
  readonly html: string
}

/** The screens that only a feature has, at an entry point of its own. Those of windows are tested with their feature. */
export interface FeatureScreens {
  readonly entryPoint: EntryPoint
  readonly deps: LoginAppOptions
  /** Requests the screens. The headers have a language, and the cookie the session of a viewer. */
  screens(app: LoginApp, headers: Readonly<Record<string, string>>, Cookie: string): Promise<Screen[]>
}

/** Returns forms after a refusal. Its app runs until the test ends. */
export type RefusedForm = () => Promise<readonly Screen[]>

/** Too wide for every screen. */
export const LONG_NAME = 'maximiliane.mustermann-schmidt@subsidiary.very-long-company-name.example'
