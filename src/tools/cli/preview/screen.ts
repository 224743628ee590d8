import type { Config } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { Language } from '../../../languages/languages.ts'
import type { AccessRefused } from '../../../login/answer/access-decision.ts'
import type { OpenFeature } from '../../../login/feature.ts'
import type { AppParts } from '../../../login/service.ts'
import type { RefusalAfterPassword } from '../../../users/user-store.ts'
import type { Lazy } from '../terminal/lazy.ts'

/** The viewer of most screens. */
export const VIEWER = 'ada@example.com'
/** Too wide for every screen. */
export const LONG_NAME = 'maximiliane.mustermann-schmidt@subsidiary.very-long-company-name.example'

/** What happens behind a screen. Default: every sign-in succeeds. */
export interface Scene {
  /** The refusal of the user store, or its fault. */
  readonly store?: 'wrong-credentials' | RefusalAfterPassword | Error
  /** The limits refuse the sign-in for this time. */
  readonly waitSeconds?: number
  /** The access policy refuses the viewer. */
  readonly access?: AccessRefused
}

/** What a request sends. */
export interface Sent {
  readonly fields?: Readonly<Record<string, string>>
  /** The body in place of fields. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly scene?: Scene
  /** Default: the entry point of the settings. `open` has a password form in any case. */
  readonly at?: 'open'
}

interface Answer {
  readonly status: number
  readonly html: string
  /** The cookie with its name. Empty without one. */
  readonly cookie: string
}

/** The app in this process, with one entry point. Paths are below the entry point. */
export interface PreviewApp {
  /** True if a feature is on at the entry point, and has a preview. */
  isOpen(feature: string): boolean
  /** Returns the media type and the content of a style sheet or image. */
  file(address: string): Promise<{ readonly type: string; readonly content: Buffer }>
  get(path: string, sent?: Sent): Promise<Answer>
  post(path: string, sent?: Sent): Promise<Answer>
  stop(): Promise<void>
}

/** A screen as the app sends it to a viewer. */
export interface Screen {
  readonly name: string
  readonly html: string
  /** True for a page in a tab of its own, which no player frames. */
  readonly isTab?: boolean
}

/** What the screens are requested with. */
export interface ScreenRequest {
  readonly app: PreviewApp
  readonly entryPoint: EntryPoint
  readonly language: Language
  /** The fields that the player must send. */
  readonly fields: Readonly<Record<string, string>>
}

/** The screens of a feature, without its servers. */
export interface FeatureScenes {
  /** Opens only what the screens need. Null if these settings leave the feature nothing to do. */
  open(services: AppParts, config: Config, shared: unknown): OpenFeature | null
  /** Returns the fields that the player must send. @param settings of the entry point. */
  fieldsOf?(settings: unknown): Readonly<Record<string, string>>
  /** Requests the screens that only this feature has. Called only if it is open at the entry point. */
  screens(request: ScreenRequest, settings: unknown): Promise<readonly Screen[]>
}

/** A feature and its screens. */
export interface NamedScenes {
  readonly name: string
  readonly scenes: FeatureScenes
}

/** The parts of a feature that `brand preview` uses. */
export interface HasScenes {
  readonly name: string
  readonly scenes?: Lazy<FeatureScenes>
}
