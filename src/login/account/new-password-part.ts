import type { Language } from '../../languages/languages.ts'
import type { Viewer } from '../../users/user-store.ts'
import type { Notice } from './notice.ts'

type Form = Readonly<Record<string, unknown>>

/** Fields that a feature adds to the form of a link, such as the other ways in that a viewer may end there. */
export interface NewPasswordPart {
  /** Returns their HTML; empty if the viewer has nothing to choose. @param form of a refused post, or empty. */
  html(viewer: Viewer, language: Language, form: Form): Promise<string>
  /** Does what the viewer chose, before the password is set. */
  apply(viewer: Viewer, form: Form, notice: Omit<Notice, 'mailOf'>): Promise<void>
}

declare module '../feature.ts' {
  interface OpenFeature<T = unknown> {
    newPasswordPart?: NewPasswordPart
  }
}
