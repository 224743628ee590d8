import type { BrowserAnswer } from './browser.ts'
import type { Credentials } from './plan.ts'

/** A form that a viewer posts. */
export interface Post {
  /** Below the path of the entry point. */
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

/** How the viewers of a drill sign in. */
export interface SignInForm {
  /** The end of "viewers got in", such as `with a password`. */
  readonly words: string
  readonly typed: 'password' | 'code'
  /** For a viewer who first asks the app for what is then typed. */
  readonly ask?: {
    readonly post: (viewer: Credentials) => Post
    /** True once the viewer has it. */
    readonly hasCome: (viewer: Credentials) => boolean
    /** How long the viewer waits for it. */
    readonly patienceMs: number
    /** Its reason in `causes` if it does not come. */
    readonly missing: string
  }
  /**
   * @param mistyped null for what is right.
   * @param asked the answer to `ask`. Null without.
   */
  readonly post: (viewer: Credentials, mistyped: string | null, asked: BrowserAnswer | null) => Post
  /** Why the app holds viewers back who sign in so, by the reason of the app. */
  readonly causes: Readonly<Record<string, string>>
}

export const BY_PASSWORD: SignInForm = {
  words: 'with a password',
  typed: 'password',
  post: ({ username, password }, mistyped) => ({
    path: '/sign-in',
    fields: { username, password: mistyped ?? password },
  }),
  causes: {},
}
