import type { Request } from 'express'
import type { Language, Texts } from '../../languages/languages.ts'
import type { PageLink } from './page.ts'

/** A value of `prompt` in the address that opens a screen of the part. */
export interface Prompt {
  readonly value: string
  /** True if a viewer with a session gets this screen too. */
  readonly isForSignedIn?: boolean
}

/** The state of the screen that a part may read. */
export interface PartState {
  readonly language: Language
  readonly texts: Texts
  readonly basePath: string
  /** The fields of the player. */
  readonly fields: Readonly<Record<string, string>>
  readonly prompt: string | undefined
  /** True if the viewer wants another account. */
  readonly wantsOtherAccount: boolean
  /** True if the screen shows a name: one that was typed. */
  readonly hasName: boolean
  /** The key of the text of a refusal. */
  readonly refusal: string | undefined
}

export interface ShownPart {
  /** The template in `views` that replaces the password form. It gets `part`. Null keeps the form. */
  readonly template: string | null
  readonly part: object
  /** A status above the form. */
  readonly notice?: string | null
  /** A link to this way to sign in, for the screens of the other ways. */
  readonly way?: (PageLink & { readonly id: string }) | null
  /** A small link below the buttons. */
  readonly link?: PageLink | null
}

/** A form that is under way: a state of the sign-in screen, or a page below the base path of the entry point. */
export type LeftForm =
  | { readonly prompt: string; readonly username: string; readonly frameSecret: string }
  | { readonly path: string }

/** A way to sign in, on the sign-in screen of one entry point. */
export interface ScreenPart {
  readonly prompts: readonly Prompt[]
  /** True if this way comes before the password: a small screen has no room for both. */
  readonly isFirst: boolean
  /** Files in `public`. The script is loaded only where scripts are on. */
  readonly stylesheet?: string
  readonly script?: string
  show(state: PartState): ShownPart
  /** Returns the form that this browser left, such as the form for a code in a mail. Null if it left none. */
  resume?(req: Pick<Request, 'headers'>): LeftForm | null
  /**
   * Puts the values of one viewer into a screen that comes from a cache.
   * @param frameSecret of the screen before, whose window may still be open.
   */
  complete(html: string, frameSecret: string | undefined): string
}
