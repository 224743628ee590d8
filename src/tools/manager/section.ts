import type { Router } from 'express'
import type { Brand } from '../../brand/brand.ts'
import type { EntryPoint } from '../../entry-points/entry-point.ts'
import type { Asset } from '../../login/screens/assets.ts'
import type { EditableUserStore } from '../../users/editable-user-store.ts'
import type { UserStore } from '../../users/user-store.ts'
import type { MailRow } from '../cli/manager/accounts/mail-rows.ts'
import type { EveningSource } from '../cli/manager/evening/evening.ts'
import type { EventTimes } from '../cli/settings/event-times.ts'
import type { ManagerSettings } from '../cli/settings/manager/settings.ts'
import type { CommandIo } from '../cli/terminal/io.ts'
import type { Lazy } from '../cli/terminal/lazy.ts'
import type { ViewerFacts } from '../cli/viewers/viewer-facts.ts'
import type { EventReports } from './after/event-reports.ts'
import type { Route } from './door/route.ts'
import type { KeptValues } from './kept-values.ts'
import type { MailQueue } from './mails/mail-queue.ts'
import type { Renderer, Tab } from './pages/renderer.ts'
import type { OtherWay } from './people/other-ways.ts'
import type { CheckDeps } from './sign-in/check-manager.ts'
import type { OtherStep } from './sign-in/other-step.ts'
import type { SignInDeps } from './sign-in/sign-in-routes.ts'

/** The viewers, in whichever store they are. */
export interface Viewers {
  readonly store: UserStore
  /** Null for a store that this app cannot change, such as a directory. */
  readonly editable: EditableUserStore | null
}

/** The parts of the program that sections use. */
export interface SectionDeps extends CheckDeps {
  readonly env: CommandIo['env']
  /** What features know of viewers. */
  readonly viewerFacts: readonly ViewerFacts[]
  /** When viewers may watch, by features. */
  readonly events: readonly EventTimes[]
  /** What features add to the page, in the order of the navigation. */
  readonly parts: readonly PagePart[]
  readonly viewers: Viewers
  /** Mails that are sent after the answer. */
  readonly mails: MailQueue
  readonly reports: EventReports
  /** The entry points as the settings are now. Null if they cannot be read on this machine. */
  readonly entryPoints: () => readonly EntryPoint[] | null
  /** The figures of the evening, which all pages share. */
  readonly evening: EveningSource
  readonly settings: Pick<ManagerSettings, 'url' | 'secret' | 'proxyHops' | 'timeZone'>
  readonly brand: Brand
  readonly kept: KeptValues
  readonly actsFile: string
  /** Renders a part of a page, for a stream or another page. */
  readonly renderPart: Renderer['render']
  /** Logs a fault of work that no request waits for. */
  readonly warn: (error: unknown) => void
  /** Called when the program stops. */
  readonly onClose: (close: () => void) => void
}

/** A part of the page: a tab in the navigation, a second step of the sign-in, or both. */
export interface Section {
  open(deps: SectionDeps): { readonly tab?: Tab; readonly routes: readonly Route[]; readonly step?: OtherStep }
}

/** What a feature adds to the page for managers. */
export interface PagePart {
  readonly section?: Section
  /** Files that its pages load, beside those of all pages. */
  readonly assets?: readonly Asset[]
  /** Routes for visitors who are not signed in. */
  readonly entry?: (deps: SignInDeps) => Router
  /** A way in without a password, on the page of a person. */
  readonly wayIn?: OtherWay
  /** Returns the guests who may watch at an entry point and get its mails, or only the wanted one. */
  readonly guests?: (env: CommandIo['env'], entryPoint: EntryPoint, wanted?: string) => Promise<readonly EventGuest[]>
}

type EventGuest = Pick<MailRow, 'username' | 'language'>

/** The part of a feature that the page uses. */
export interface HasPagePart {
  readonly page?: Lazy<PagePart>
}
