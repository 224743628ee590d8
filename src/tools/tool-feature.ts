import type { BackedUpStore } from './cli/backup/backup-command.ts'
import type { AnswerCheck } from './cli/doctor/answer-check.ts'
import type { FeatureCheck } from './cli/doctor/feature-check.ts'
import type { DrillPart } from './cli/drill/drill-part.ts'
import type { FeatureScenes } from './cli/preview/screen.ts'
import type { PeopleSource } from './cli/report/attendance/invited/people.ts'
import type { ResponseKind } from './cli/response/response-command.ts'
import type { LockKind } from './cli/service/lock-kind.ts'
import type { SettingsCheck } from './cli/settings/config-command.ts'
import type { EventTimes } from './cli/settings/event-times.ts'
import type { OtherStore } from './cli/settings/store-command.ts'
import type { BundleSection } from './cli/support/section.ts'
import type { Definition, RootCommand } from './cli/terminal/command.ts'
import type { Lazy } from './cli/terminal/lazy.ts'
import type { HasVariants } from './cli/terminal/variant.ts'
import type { ViewerFacts } from './cli/viewers/viewer-facts.ts'
import type { PagePart } from './manager/section.ts'

/**
 * All that the tools do for one feature. A fork deletes the folder and the line in src/tools/features.ts. Every member is
 * optional, and the order of the list is the order of the output. Code is loaded late, by the command that uses it.
 */
export interface ToolFeature extends HasVariants<ToolFeature> {
  /** The name of the feature in the app. */
  readonly name: string
  /** Its own commands of `viewer-auth`. */
  readonly commands?: readonly RootCommand<ToolFeature>[]
  /** Adds to a group of commands of the core, by the name of the group. Called after the group has its own commands. */
  readonly additions?: Readonly<Record<string, Lazy<Definition<ToolFeature>>>>
  /** Its findings, before an event. */
  readonly check?: Lazy<FeatureCheck>
  /** For `config check`. */
  readonly settings?: Lazy<SettingsCheck>
  /** A store of its own, to check. */
  readonly store?: Lazy<OtherStore>
  /** What it knows of viewers, for all commands and pages that show or change viewers. */
  readonly viewers?: Lazy<ViewerFacts>
  /** When viewers may watch. */
  readonly event?: Lazy<EventTimes>
  readonly drill?: Lazy<DrillPart>
  /** The response of an answer in place of the hash. */
  readonly responseKind?: Lazy<ResponseKind>
  /** Its lock at the video service. */
  readonly lockKind?: Lazy<LockKind>
  /** Checks of its answer, at the app and at the service. */
  readonly answerCheck?: Lazy<AnswerCheck>
  /** Its screens, with made-up content. */
  readonly scenes?: Lazy<FeatureScenes>
  /** Lists of invited people, by name. */
  readonly invited?: Readonly<Record<string, Lazy<PeopleSource>>>
  /** Its pages and acts in a browser. */
  readonly page?: Lazy<PagePart>
  /** A store whose file `backup` copies. */
  readonly backup?: Lazy<BackedUpStore>
  /** What support needs of it, without secrets. */
  readonly support?: Lazy<BundleSection>
}
