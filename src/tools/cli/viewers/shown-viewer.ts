import type { FailedSignIns } from '../../../sign-in-limits/failed-sign-ins.ts'
import type { UserStore, Viewer, ViewerState } from '../../../users/user-store.ts'
import { identityText, type ShownIdentity } from '../guest-ways.ts'
import type { CommandIo } from '../terminal/io.ts'
import { printable } from '../terminal/text.ts'
import STATE_TEXTS from './states.json' with { type: 'json' }

type Line = readonly [label: string, value: string]

/** Earlier sign-ins and refusals of a viewer, from a source such as the security log. */
export interface KnownEvents {
  /** Fields of the JSON output. */
  readonly fields: object
  readonly lines: readonly Line[]
  /** True if the source has an event of the viewer. */
  readonly isKnown: boolean
  /** The issuer of the last sign-in. Null for a password viewer, and without a sign-in. */
  readonly issuer: string | null
}

/** A fact that a feature knows, by its name in JSON. The value is null if it does not apply, or cannot be read. */
export interface ViewerFact {
  readonly field: string
  readonly label: string
  readonly value: unknown
  /** Null for no line. */
  readonly text: string | null
}

export interface FactReader extends Pick<ViewerFact, 'field' | 'label'> {
  /** Returns null if the fact does not apply. */
  read(store: UserStore, viewer: Viewer, env: CommandIo['env']): Promise<Pick<ViewerFact, 'value' | 'text'> | null>
}

/** Reads what a source knows. @param part returns null if the work fails, and shows the fault. */
export type HistoryReader = (
  env: CommandIo['env'],
  username: string,
  part: <T>(work: Promise<T>) => Promise<T | null>,
) => Promise<KnownEvents>

/** The output of `viewers show --json`, with the fields of facts and histories. Times are ISO 8601, in UTC. */
export interface ShownViewer {
  readonly username: string
  /**
   * `unknown-or-disabled`: the store names only viewers who may sign in. `unknown`: the store looks up no viewers.
   * `only-at-provider`: the user store has no such viewer, but another system signed this name in.
   * `guest`: the user store has no such viewer, but a guest signed in with this name.
   * `not-in-store`: the user store has no such viewer, but there are sessions, failed sign-ins or lines in the log.
   */
  readonly state: string
  readonly invitation: { readonly expiresAt: string; readonly isSent: boolean } | null
  /** Null if the store does not tell. */
  readonly groups: readonly string[] | null
  readonly attributes: Readonly<Record<string, string>> | null
  readonly facts: readonly ViewerFact[]
  readonly histories: readonly KnownEvents[]
  /** Null if they are counted in the memory of the app, or cannot be read. */
  readonly failedSignIns: FailedSignIns | null
  /** Null if they cannot be read. */
  readonly sessions: readonly (ShownIdentity & { readonly signedInAt: string; readonly lastUsedAt: string })[] | null
  /** A sentence for each store that did not answer. */
  readonly faults: readonly string[]
}

/** A shared account may have thousands of sessions. */
const MOST_SESSIONS = 20

const STATES: Readonly<Record<string, string>> = STATE_TEXTS
const IN_MEMORY = 'only the app knows them, because LIMITS_STORE_URL is memory:. A restart of the app resets them'

/**
 * Formats the viewer as lines with a label.
 * @param countsInMemory true if only the app knows the failed sign-ins.
 */
export function textOf(viewer: ShownViewer, countsInMemory: boolean): string {
  const { username, state, invitation, groups, attributes, facts, faults } = viewer
  const pairs = Object.entries(attributes ?? {}).map(([name, value]) => `${name}=${value}`)
  const lines: Line[] = [
    ['User name', username],
    ['State', STATES[state] ?? state],
    ...(invitation === null ? [] : [['Invitation', invitationText(invitation)] as const]),
    ['Groups', listText(groups)],
    ['Attributes', listText(attributes && pairs)],
    ...facts.flatMap(({ label, text }): Line[] => (text === null ? [] : [[label, text]])),
    ...viewer.histories.flatMap((history) => history.lines),
    ...failureLines(viewer.failedSignIns, countsInMemory),
    ...sessionLines(viewer.sessions),
    ...faults.map((fault): Line => ['Fault', fault]),
  ]
  return lines.map(([label, value]) => `${label.padEnd(15)} ${printable(value)}`.trimEnd()).join('\n')
}

function invitationText({ expiresAt, isSent }: NonNullable<ShownViewer['invitation']>): string {
  return `the link ${Date.parse(expiresAt) > Date.now() ? 'works until' : 'worked until'} ${expiresAt}${isSent ? '' : '. It was not sent'}`
}

function listText(texts: readonly string[] | null): string {
  return texts === null ? 'not known' : texts.join(', ') || 'none'
}

function failureLines(failed: FailedSignIns | null, countsInMemory: boolean): Line[] {
  if (failed === null) return [['Failed sign-ins', countsInMemory ? IN_MEMORY : 'cannot be read']]
  const { count, lockedSeconds, addresses } = failed
  const locked = `. Locked for ${lockedSeconds} s at addresses without an earlier sign-in. Run viewers unlock`
  return [
    ['Failed sign-ins', `${count}${lockedSeconds > 0 ? locked : ''}`],
    ...addresses.map(
      ({ address, count: attempts, waitSeconds }): Line => [
        '',
        `${attempts} from ${address}${waitSeconds > 0 ? `, which must wait ${waitSeconds} s` : ''}`,
      ],
    ),
  ]
}

function sessionLines(sessions: ShownViewer['sessions']): Line[] {
  if (sessions === null) return [['Sessions', 'cannot be read']]
  const rest = sessions.length > MOST_SESSIONS ? `, of which the newest ${MOST_SESSIONS} are:` : ''
  return [
    ['Sessions', `${sessions.length}${rest}`],
    ...sessions.slice(0, MOST_SESSIONS).map((session): Line => {
      const { signedInAt, lastUsedAt } = session
      return ['', `began ${signedInAt}, last used ${lastUsedAt}${identityText(session)}`]
    }),
  ]
}

/** Returns the state of a viewer by a feature. Null for a viewer without such a state. */
type StateReader = { stateOf?(viewer: Viewer, nowSeconds: number): string | null }

/** Returns the state that a feature gives a viewer, else null. */
export function featureStateOf(viewer: Viewer, nowSeconds: number, features: readonly StateReader[]): string | null {
  return features.map((one) => one.stateOf?.(viewer, nowSeconds) ?? null).find((state) => state !== null) ?? null
}

/**
 * Names the state of a viewer. A viewer without a password is `invited` while the link of the invitation works, and
 * `invitation-expired` after that. Without an invitation that was sent, the state is `no-password`.
 */
export function stateOf(
  { viewer, hasPassword, invitation }: ViewerState,
  nowSeconds: number,
  features: readonly StateReader[],
): string {
  if (viewer.disabled) return 'disabled'
  const state = featureStateOf(viewer, nowSeconds, features)
  if (state !== null || hasPassword) return state ?? 'active'
  if (!invitation?.isSent) return 'no-password'
  return invitation.expiresAtSeconds > nowSeconds ? 'invited' : 'invitation-expired'
}
