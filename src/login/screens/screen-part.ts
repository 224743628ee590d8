import type { Request } from 'express'
import type { Texts } from '../../languages/languages.ts'
import type { PageLink } from './page.ts'
import { pathOf } from './send.ts'

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

/** A way to sign in as screens show it: its own screen, and the link to it on the screens of the other ways. */
export interface ShownPart extends PageLink {
  /** The id of the link. */
  readonly id: string
  /** The address of a picture that its icon shows instead. */
  readonly image?: string | undefined
  /** The template in `views` with the form of this way. It gets `part`. */
  readonly template: string
  readonly part?: object
  /** A status above the form. */
  readonly notice?: string | null
  /** A small link below the buttons. */
  readonly link?: PageLink | null
}

/** A form that is under way: a state of the sign-in screen, or a page below the base path of the entry point. */
export type LeftForm =
  | { readonly prompt: string; readonly username: string; readonly frameSecret: string }
  | { readonly path: string }

/** A way to sign in, on the sign-in screen of one entry point. */
export interface ScreenPart {
  /** The name of its feature, whose icon is the template NAME/icon. */
  readonly name: string
  readonly prompts: readonly Prompt[]
  /** True if this way comes before the password. */
  readonly isFirst?: boolean
  /** A file in `public`, loaded only where scripts are on. It may open the window of this way with a click on its link. */
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

/** The password as a way to sign in. */
export const PASSWORD_WAY: ScreenPart = {
  name: 'password',
  prompts: [{ value: 'password' }],
  show: ({ texts, basePath, fields }) => ({
    id: 'use-password',
    template: 'parts/sign-in-form',
    address: pathOf(basePath, { ...fields, prompt: 'password' }),
    text: texts.usePassword,
  }),
}

/** Returns the ways to sign in. The first one has the first screen: a way before the password, or the password. */
export function waysOf(hasPasswordForm: boolean, parts: readonly ScreenPart[]): readonly ScreenPart[] {
  const first = parts.filter(({ isFirst }) => isFirst)
  return [...first, ...(hasPasswordForm ? [PASSWORD_WAY] : []), ...parts.filter((part) => !first.includes(part))]
}

/** Returns the values by which the template shows the ways to sign in. The screen belongs to one of them. */
export function wayLocals(ways: readonly ScreenPart[], state: PartState) {
  const shown = ways.map((way) => ({ name: way.name, opensWindow: way.script !== undefined, ...way.show(state) }))
  const chosen = ways.findIndex(({ prompts }) => prompts.some(({ value }) => value === state.prompt))
  const main = shown[Math.max(chosen, 0)]
  const scripts = new Set(ways.flatMap(({ script }) => script ?? []))
  return { main, ways: shown.filter((way) => way !== main), scripts }
}
