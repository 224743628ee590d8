import type { Request } from 'express'
import type { Texts } from '../../languages/languages.ts'
import type { PageLink } from './page.ts'

/** A value of `prompt` in the address that opens a screen of the part. */
export interface Prompt {
  readonly value: string
  /** True if a viewer with a session gets this screen too. */
  readonly isForSignedIn?: boolean
}

/** The state of the screen that a part may read. */
export interface PartState {
  readonly texts: Texts
  readonly basePath: string
  /** The fields of the player. */
  readonly fields: Readonly<Record<string, string>>
  readonly prompt: string | undefined
  /** True if the viewer wants another account. */
  readonly wantsOtherAccount: boolean
  /** True if the screen shows a name: one that was typed. */
  readonly hasName: boolean
}

/** The link to a way to sign in, on the screens of the other ways. */
export interface WayLink extends PageLink {
  readonly id: string
  /** A template in `views`. It gets the link. */
  readonly icon: string
  /** True if the script may open the window of this way with the same click. */
  readonly opensWindow?: boolean
  /** The address of a picture that the template shows instead. */
  readonly image?: string | undefined
}

export interface ShownPart {
  /** The template in `views` with the form of this way. It gets `part`. */
  readonly template: string
  readonly part: object
  /** A status above the form. */
  readonly notice?: string | null
  readonly way: WayLink
  /** A small link below the buttons. */
  readonly link?: PageLink | null
}

/** A form that is under way: a state of the sign-in screen, or a page below the base path of the entry point. */
export type LeftForm =
  | { readonly prompt: string; readonly username: string; readonly frameSecret: string }
  | { readonly path: string }

/** A way to sign in, on the sign-in screen of one entry point. */
export interface ScreenPart {
  /** The name of its feature. */
  readonly name: string
  readonly prompts: readonly Prompt[]
  /** True if this way comes before the password, unless FIRST_WAY names another one. */
  readonly isFirst?: boolean
  /** A file in `public`, loaded only where scripts are on. */
  readonly script?: string
  show(state: PartState): ShownPart
  /** Returns the form that this browser left, such as the form for a code in a mail. Null if it left none. */
  resume?(req: Pick<Request, 'headers'>): LeftForm | null
  /**
   * Puts the values of one viewer into a screen that comes from a cache.
   * @param frameSecret of the screen before, whose window may still be open.
   */
  complete?(html: string, frameSecret: string | undefined): string
}
