import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { Language, Texts } from '../../languages/languages.ts'
import type { Viewer } from '../../users/user-store.ts'
import type { Services } from '../feature.ts'
import type { LogStep } from '../log/step-log.ts'

export interface Notice {
  /** Returns the texts above the link with which the viewer resets the password. */
  readonly mailOf: (texts: Texts) => { readonly subject: string; readonly paragraphs: readonly string[] }
  readonly entryPoint: EntryPoint
  readonly language: Language
  /** See deviceOf(). */
  readonly device: readonly string[]
  readonly log: LogStep
}

/** Sends a mail about a change of an account. Does nothing without a mail server, or without an address. */
export type Notify = (viewer: Viewer, notice: Notice) => void

declare module '../feature.ts' {
  interface OpenFeature<T = unknown> {
    notify?: Notify
  }
}

/** Returns the function that sends notices. The feature that sends mails may open later. */
export function noticesBy(opened: Services['opened']): Notify {
  return (...notice) => opened.find(({ open }) => open.notify)?.open.notify?.(...notice)
}
