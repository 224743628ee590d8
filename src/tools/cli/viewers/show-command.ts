import type { Command } from 'commander'
import { readActivitySettings, readSharedStores, readUserStore } from '../../../config.ts'
import type { SessionLimits, ShownSession } from '../../../sessions/session-store.ts'
import { stores } from '../../../stores.ts'
import { userStores } from '../../../users/open-user-store.ts'
import type { UserStore, Viewer, ViewerState } from '../../../users/user-store.ts'
import { noSuchViewer } from '../../../users/viewer-changes.ts'
import { sharedAddressesFact } from '../../features/mail-sign-in/shared-addresses.ts'
import { passkeysFact } from '../../features/passkeys/passkeys-fact.ts'
import { registrationsOf } from '../../features/registration/registrations-of.ts'
import { addCommand, type CommandContext, messageOf, type Outcome, runCommand } from '../command.ts'
import { guestWayOf, identityFields } from '../guest-ways.ts'
import { loggedEvents } from '../security-log/logged-events.ts'
import type { CommandIo } from '../terminal/io.ts'
import {
  type FactReader,
  featureStateOf,
  type KnownEvents,
  type ShownViewer,
  stateOf,
  textOf,
  type ViewerFact,
} from './shown-viewer.ts'

/** Facts about a viewer that features know. */
const FACTS: readonly FactReader[] = [
  passkeysFact, //
  sharedAddressesFact,
]

/** Sources that know earlier sign-ins of a viewer. */
const HISTORIES: readonly HistoryReader[] = [
  loggedEvents, //
  registrationsOf,
]

/** @param part returns null if the work fails, and shows the fault. */
export type HistoryReader = (env: CommandIo['env'], username: string, part: LookUpDeps['part']) => Promise<KnownEvents>

/** Adds `viewers show`, for a help desk. */
export function addViewersShowCommand(group: Command, context: CommandContext): void {
  addCommand(
    group,
    'show <USERNAME>',
    'show state, groups, attributes, last sign-in, failed sign-ins and sessions of a viewer, for every user store',
    ['viewer-auth viewers show ada@example.com'],
  ).action((username: string, { json }: { json?: boolean }) =>
    runCommand(context, json, () => showViewer(context.io.env, username)),
  )
}

/**
 * Returns all that is known of a viewer, as text and as data.
 * @param faster readers that replace those of the list, if a program has a faster way than to read a file.
 */
export async function showViewer(
  env: CommandIo['env'],
  typed: string,
  faster: ReadonlyMap<HistoryReader, HistoryReader> = new Map(),
): Promise<Outcome> {
  const nowSeconds = Date.now() / 1000
  const faults: string[] = []
  /** A store that does not answer must not hide what the others know. */
  async function part<T>(work: Promise<T>): Promise<T | null> {
    return await work.catch((error: unknown) => {
      faults.push(messageOf(error))
      return null
    })
  }
  const store = await userStores.open(readUserStore(env))
  const known = await lookUp(store, typed, { env, nowSeconds, part }).finally(() => store.close())
  const username = known?.username ?? typed
  const { sessionStore, limitsStore } = readSharedStores(env)
  const ends = readActivitySettings(env)
  const [storedSessions, counts] = await Promise.all([stores.sessions(sessionStore), stores.counts(limitsStore)])
  const [sessions, failed, histories] = await Promise.all([
    part(storedSessions.list(username).then((stored) => livingSessions(stored, ends))),
    part(counts.failedSignIns(username)),
    Promise.all(HISTORIES.map((read) => (faster.get(read) ?? read)(env, username, part))),
  ])
  const issuers = [
    ...(sessions ?? []).map(({ provider }) => provider?.issuer),
    ...histories.map(({ issuer }) => issuer),
  ]
  const isFound =
    known || sessions?.length || failed?.count || histories.some((history) => history.isKnown) || faults.length > 0
  if (!isFound) return nothingKnown(typed)
  const viewer: ShownViewer = {
    ...(known ?? { ...unnamed(typed), state: stateOfUnknown(issuers) }),
    histories,
    failedSignIns: failed,
    sessions: sessions?.map(sessionOf) ?? null,
    faults,
  }
  const text = textOf(viewer, limitsStore.kind === 'memory')
  const { facts, histories: _lines, ...fields } = viewer
  const ofFeatures = Object.fromEntries(facts.map(({ field, value }) => [field, value]))
  const data = Object.assign({ ...fields, ...ofFeatures }, ...histories.map((history) => history.fields))
  return { ok: true, text, data, isPartial: faults.length > 0 || DOUBTFUL.includes(viewer.state) }
}

/** Returns the state of a name that the user store does not have. @param issuers of its sessions and sign-ins. */
function stateOfUnknown(issuers: readonly (string | null | undefined)[]): string {
  const given = issuers.filter((issuer) => typeof issuer === 'string')
  if (given.length === 0) return 'not-in-store'
  return given.every((issuer) => guestWayOf(issuer) !== null) ? 'guest' : 'only-at-provider'
}

const DOUBTFUL: readonly ShownViewer['state'][] = ['unknown-or-disabled', 'not-in-store']

function nothingKnown(typed: string): Outcome {
  const { fault } = noSuchViewer(typed)
  const hint =
    'Nor is there a session or a failed sign-in with this name. Earlier sign-ins are only in the security log.'
  return { ok: false, fault: `${fault} ${hint}` }
}

type KnownViewer = Pick<ShownViewer, 'username' | 'state' | 'invitation' | 'groups' | 'attributes' | 'facts'>

interface LookUpDeps {
  readonly env: CommandIo['env']
  readonly nowSeconds: number
  readonly part: <T>(work: Promise<T>) => Promise<T | null>
}

/** Returns the facts of the user store; null for an unknown viewer. */
async function lookUp(store: UserStore, typed: string, deps: LookUpDeps): Promise<KnownViewer | null> {
  const { nowSeconds } = deps
  if (store.inspect !== undefined) {
    const known = await store.inspect(typed)
    return known && { ...fieldsOf(known, nowSeconds), facts: await factsOf(store, known.viewer, deps) }
  }
  if (store.find === undefined) return { ...unnamed(typed), state: 'unknown' }
  const found = await store.find(typed)
  if (found === null) return { ...unnamed(typed), state: 'unknown-or-disabled' }
  const state = featureStateOf(found, nowSeconds) ?? 'active'
  return { ...unnamed(typed), ...found, facts: await factsOf(store, found, deps), state }
}

/** Reads all facts. In PostgreSQL, the role may lack the rights of a newer version. */
function factsOf(store: UserStore, viewer: Viewer, { env, part }: LookUpDeps): Promise<ViewerFact[]> {
  return Promise.all(
    FACTS.map(async ({ field, label, read }) => {
      const { value = null, text = null } = (await part(read(store, viewer, env))) ?? {}
      return { field, label, value, text }
    }),
  )
}

/** Returns the fields of a viewer whom the user store does not describe. */
function unnamed(username: string) {
  return {
    username,
    invitation: null,
    groups: null,
    attributes: null,
    facts: FACTS.map(({ field, label }) => ({ field, label, value: null, text: null })),
  }
}

function sessionOf({ signedInAtSeconds, usedAtSeconds, provider }: ShownSession) {
  return { signedInAt: isoOf(signedInAtSeconds), lastUsedAt: isoOf(usedAtSeconds), ...identityFields(provider) }
}

function fieldsOf(known: ViewerState, nowSeconds: number): Omit<KnownViewer, 'facts'> {
  const { username, groups, attributes } = known.viewer
  const { expiresAtSeconds, isSent } = known.invitation ?? {}
  const invitation =
    expiresAtSeconds === undefined ? null : { expiresAt: isoOf(expiresAtSeconds), isSent: isSent === true }
  return { username, state: stateOf(known, nowSeconds), invitation, groups, attributes }
}

function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

/** Returns the sessions that are not over, the newest first. */
function livingSessions(
  sessions: readonly ShownSession[],
  { lifetimeSeconds, idleSeconds }: Pick<SessionLimits, 'lifetimeSeconds' | 'idleSeconds'>,
): ShownSession[] {
  const now = Date.now() / 1000
  return sessions
    .filter(({ signedInAtSeconds, usedAtSeconds, provider }) => {
      const endsAtSeconds = Math.min(signedInAtSeconds + lifetimeSeconds, usedAtSeconds + idleSeconds)
      return Math.min(endsAtSeconds, provider?.endsAtSeconds ?? Number.POSITIVE_INFINITY) > now
    })
    .toSorted((one, other) => other.signedInAtSeconds - one.signedInAtSeconds)
}
