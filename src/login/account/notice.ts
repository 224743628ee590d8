import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { Language, Texts } from '../../languages/languages.ts'
import type { Viewer } from '../../users/user-store.ts'
import type { Services } from '../feature.ts'
import type { LogStep } from '../log/step-log.ts'

export interface Notice {
  /** Returns the mail. `resetAddress` is where the viewer resets the password. */
  readonly mailOf: (texts: Texts, resetAddress: string) => { readonly subject: string; readonly paragraphs: string[] }
  readonly entryPoint: EntryPoint
  readonly language: Language
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
