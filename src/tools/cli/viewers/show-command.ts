import type { Command } from 'commander'
import { readActivitySettings, readSharedStores, readUserStore } from '../../../config.ts'
import { endOfSession, type ShownSession } from '../../../sessions/session-store.ts'
import { stores } from '../../../stores.ts'
import { userStores } from '../../../users/open-user-store.ts'
import type { UserStore, Viewer, ViewerState } from '../../../users/user-store.ts'
import { noSuchViewer } from '../../../users/viewer-changes.ts'
import { guestWayOf, identityFields } from '../guest-ways.ts'
import { loggedEvents } from '../security-log/logged-events.ts'
import { addCommand, type CommandContext, messageOf, type Refused, runCommand } from '../terminal/command.ts'
import type { CommandIo } from '../terminal/io.ts'
import { isoTime } from '../terminal/text.ts'
import {
  type FactReader,
  featureStateOf,
  type HistoryReader,
  type ShownViewer,
  stateOf,
  textOf,
  type ViewerFact,
} from './shown-viewer.ts'
import { type HasViewerFacts, type ViewerFacts, viewerFactsOf } from './viewer-facts.ts'

/** Sources that know earlier sign-ins of a viewer, besides those of features. */
// biome-ignore format: one item a line
const HISTORIES: readonly HistoryReader[] = [
  loggedEvents,
]

/** All that is known of a viewer: the output of `viewers show --json`. Features add fields of their own. */
export type KnownPerson = Omit<ShownViewer, 'facts' | 'histories'> & Readonly<Record<string, unknown>>

/** Adds `viewers show`, for a help desk. */
export function addViewersShowCommand(group: Command, context: CommandContext<HasViewerFacts>): void {
  addCommand(
    group,
    'show <USERNAME>',
    'show state, groups, attributes, last sign-in, failed sign-ins and sessions of a viewer, for every user store',
    ['viewer-auth viewers show ada@example.com'],
  ).action((username: string, { json }: { json?: boolean }) =>
    runCommand(context, json, async () => {
      const features = await viewerFactsOf(context)
      return await showViewer(context.io.env, username, features)
    }),
  )
}

/**
 * Returns all that is known of a viewer, as text and as data.
 * @param features in the order of the output.
 * @param faster readers that replace those of the list, if a program has a faster way than to read a file.
 */
export async function showViewer(
  env: CommandIo['env'],
  typed: string,
  features: readonly ViewerFacts[],
  faster: ReadonlyMap<HistoryReader, HistoryReader> = new Map(),
) {
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
  const known = await lookUp(store, typed, { env, features, nowSeconds, part }).finally(() => store.close())
  const username = known?.username ?? typed
  const { sessionStore, limitsStore } = readSharedStores(env)
  const ends = readActivitySettings(env)
  const [storedSessions, counts] = await Promise.all([stores.sessions(sessionStore), stores.counts(limitsStore)])
  const histories = [...HISTORIES, ...features.flatMap(({ history }) => history ?? [])]
  const [sessions, failed, events] = await Promise.all([
    part(storedSessions.list(username).then((stored) => livingSessions(stored, ends))),
    part(counts.failedSignIns(username)),
    Promise.all(histories.map((read) => (faster.get(read) ?? read)(env, username, part))),
  ])
  const issuers = [...(sessions ?? []).map(({ provider }) => provider?.issuer), ...events.map(({ issuer }) => issuer)]
  const isFound =
    known || sessions?.length || failed?.count || events.some(({ isKnown }) => isKnown) || faults.length > 0
  if (!isFound) return nothingKnown(typed)
  const viewer: ShownViewer = {
    ...(known ?? { ...unnamed(typed, features), state: stateOfUnknown(issuers) }),
    histories: events,
    failedSignIns: failed,
    sessions: sessions?.map(sessionOf) ?? null,
    faults,
  }
  const text = textOf(viewer, limitsStore.kind === 'memory')
  const { facts, histories: _lines, ...fields } = viewer
  const ofFeatures = Object.fromEntries(facts.map(({ field, value }) => [field, value]))
  const data: KnownPerson = Object.assign({ ...fields, ...ofFeatures }, ...events.map((history) => history.fields))
  return { ok: true as const, text, data, isPartial: faults.length > 0 || DOUBTFUL.includes(viewer.state) }
}

/** Returns the state of a name that the user store does not have. @param issuers of its sessions and sign-ins. */
function stateOfUnknown(issuers: readonly (string | null | undefined)[]): string {
  const given = issuers.filter((issuer) => typeof issuer === 'string')
  if (given.length === 0) return 'not-in-store'
  return given.every((issuer) => guestWayOf(issuer) !== null) ? 'guest' : 'only-at-provider'
}

const DOUBTFUL: readonly ShownViewer['state'][] = ['unknown-or-disabled', 'not-in-store']

function nothingKnown(typed: string): Refused {
  const { fault } = noSuchViewer(typed)
  const hint =
    'Nor is there a session or a failed sign-in with this name. Earlier sign-ins are only in the security log.'
  return { ok: false, fault: `${fault} ${hint}` }
}

type KnownViewer = Pick<ShownViewer, 'username' | 'state' | 'invitation' | 'groups' | 'attributes' | 'facts'>

interface LookUpDeps {
  readonly features: readonly ViewerFacts[]
  readonly env: CommandIo['env']
  readonly nowSeconds: number
  readonly part: <T>(work: Promise<T>) => Promise<T | null>
}

/** Returns the facts of the user store; null for an unknown viewer. */
async function lookUp(store: UserStore, typed: string, deps: LookUpDeps): Promise<KnownViewer | null> {
  const { features, nowSeconds } = deps
  if (store.inspect !== undefined) {
    const known = await store.inspect(typed)
    return known && { ...fieldsOf(known, deps), facts: await factsOf(store, known.viewer, deps) }
  }
  if (store.find === undefined) return { ...unnamed(typed, features), state: 'unknown' }
  const found = await store.find(typed)
  if (found === null) return { ...unnamed(typed, features), state: 'unknown-or-disabled' }
  const state = featureStateOf(found, nowSeconds, features) ?? 'active'
  return { ...unnamed(typed, features), ...found, facts: await factsOf(store, found, deps), state }
}

/** Reads all facts. The role of a database server may lack the rights of a newer version. */
function factsOf(store: UserStore, viewer: Viewer, { env, features, part }: LookUpDeps): Promise<ViewerFact[]> {
  return Promise.all(
    factReaders(features).map(async ({ field, label, read }) => {
      const { value = null, text = null } = (await part(read(store, viewer, env))) ?? {}
      return { field, label, value, text }
    }),
  )
}

function factReaders(features: readonly ViewerFacts[]): FactReader[] {
  return features.flatMap(({ fact }) => fact ?? [])
}

/** Returns the fields of a viewer whom the user store does not describe. */
function unnamed(username: string, features: readonly ViewerFacts[]) {
  return {
    username,
    invitation: null,
    groups: null,
    attributes: null,
    facts: factReaders(features).map(({ field, label }) => ({ field, label, value: null, text: null })),
  }
}

function sessionOf({ signedInAtSeconds, usedAtSeconds, provider }: ShownSession) {
  return { signedInAt: isoTime(signedInAtSeconds), lastUsedAt: isoTime(usedAtSeconds), ...identityFields(provider) }
}

function fieldsOf(known: ViewerState, { features, nowSeconds }: LookUpDeps): Omit<KnownViewer, 'facts'> {
  const { username, groups, attributes } = known.viewer
  const { expiresAtSeconds, isSent } = known.invitation ?? {}
  const invitation =
    expiresAtSeconds === undefined ? null : { expiresAt: isoTime(expiresAtSeconds), isSent: isSent === true }
  return { username, state: stateOf(known, nowSeconds, features), invitation, groups, attributes }
}

/** Returns the sessions that are not over, the newest first. */
function livingSessions(sessions: readonly ShownSession[], limits: ReturnType<typeof readActivitySettings>) {
  const now = Date.now() / 1000
  return sessions
    .filter((session) => endOfSession(session, limits) > now)
    .toSorted((one, other) => other.signedInAtSeconds - one.signedInAtSeconds)
}
