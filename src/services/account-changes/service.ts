import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { Language, Texts } from '../../languages/languages.ts'
import type { LogStep } from '../../login/log/step-log.ts'
import type { Service } from '../../login/service.ts'
import type { Viewer } from '../../users/user-store.ts'

/** Joins the feature with the account pages to the features that change accounts in other ways. */
export interface AccountChanges {
  /** Sends a mail about a change. Does nothing if the app sends no mails, or without an address. */
  readonly notify: Notify
  /** Called by the feature that sends the mails. */
  sendNoticesBy(send: Notify): void
  /** Fields for the form of a link. Features add theirs when they open. */
  readonly newPasswordParts: NewPasswordPart[]
}

export type Notify = (viewer: Viewer, notice: Notice) => void

export interface Notice {
  /** Returns the texts above the link with which the viewer resets the password. */
  readonly mailOf: (texts: Texts) => { readonly subject: string; readonly paragraphs: readonly string[] }
  readonly entryPoint: EntryPoint
  readonly language: Language
  /** See deviceOf(). */
  readonly device: readonly string[]
  readonly log: LogStep
}

type Form = Readonly<Record<string, unknown>>

/** Fields that a feature adds to the form of a link, such as the other ways in that a viewer may end there. */
export interface NewPasswordPart {
  /** Returns their HTML; empty if the viewer has nothing to choose. @param form of a refused post, or empty. */
  html(viewer: Viewer, language: Language, form: Form): Promise<string>
  /** Does what the viewer chose, before the password is set. */
  apply(viewer: Viewer, form: Form, notice: Omit<Notice, 'mailOf'>): Promise<void>
}

export const accountChanges: Service<AccountChanges> = {
  name: 'account-changes',
  open: () => Promise.resolve({ handed: createAccountChanges() }),
}

export function createAccountChanges(): AccountChanges {
  let send: Notify = () => {}
  return {
    notify: (viewer, notice) => send(viewer, notice),
    sendNoticesBy(given) {
      send = given
    },
    newPasswordParts: [],
  }
}
