import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { EventTimes } from '../../cli/settings/event-times.ts'
import type { KnownPerson } from '../../cli/viewers/show-command.ts'

/** A reason why a viewer cannot sign in or watch, and the act that helps. */
export interface Reason {
  /** A key of `why`. */
  readonly text: string
  readonly values?: Readonly<Record<string, string | number>>
  readonly remedy?: 'enable' | 'invite' | 'unlock' | 'edit'
}

/** When viewers may watch, and the time now. */
interface EventNow {
  readonly events: readonly EventTimes[]
  readonly nowSeconds: number
}

const BY_STATE: Readonly<Record<string, Reason>> = {
  disabled: { text: 'disabled', remedy: 'enable' },
  ended: { text: 'ended', remedy: 'edit' },
  'end-unreadable': { text: 'endUnreadable', remedy: 'edit' },
  invited: { text: 'invited', remedy: 'invite' },
  'invitation-expired': { text: 'invitationExpired', remedy: 'invite' },
  'no-password': { text: 'noPassword', remedy: 'invite' },
  'unknown-or-disabled': { text: 'unknownOrDisabled' },
  'not-in-store': { text: 'notInStore' },
  guest: { text: 'guestOut' },
}
/** States in which people only have ways in without the password of an account. */
const WITHOUT_ACCOUNT = ['unknown-or-disabled', 'not-in-store', 'guest']
/** Reasons only for people who have no way in besides the password of an account. */
const WITHOUT_OTHER_WAY = ['invited', 'invitation-expired', 'no-password', ...WITHOUT_ACCOUNT]
const MINUTE = 60

/**
 * Lists why a viewer cannot sign in now, the strongest reason first.
 * @param entryPoints those that the manager sees. Null if the settings cannot be read.
 * @param otherWays the ways in without a password that are open to the viewer.
 * @param hindrances why such a way is closed to the viewer.
 * @returns an empty list if nothing is in the way.
 */
export function reasonsFor(
  person: KnownPerson,
  entryPoints: readonly EntryPoint[] | null,
  times: EventNow,
  otherWays: readonly string[] = [],
  hindrances: readonly Reason[] = [],
): readonly Reason[] {
  const hasOtherWay = otherWays.length > 0 && WITHOUT_OTHER_WAY.includes(person.state)
  return [
    ...(hasOtherWay ? [] : reasonsOfState(person, entryPoints, hindrances)),
    ...limits(person),
    ...groups(person, entryPoints),
    ...closed(entryPoints, times),
  ]
}

function reasonsOfState(
  { state }: KnownPerson,
  entryPoints: readonly EntryPoint[] | null,
  hindrances: readonly Reason[],
): readonly Reason[] {
  if (hindrances.length > 0 && WITHOUT_ACCOUNT.includes(state)) return hindrances
  // Without the settings, the ways of guests are not known.
  if (state === 'guest' && entryPoints === null) return []
  return [BY_STATE[state] ?? [], hindrances].flat()
}

function limits({ failedSignIns: failed }: KnownPerson): Reason[] {
  if (failed === null) return []
  const locked = failed.lockedSeconds
  const isLocked: Reason[] =
    locked > 0
      ? [{ text: 'locked', values: { minutes: Math.ceil(locked / MINUTE), count: failed.count }, remedy: 'unlock' }]
      : []
  const waiting = failed.addresses
    .filter(({ waitSeconds }) => waitSeconds > 0)
    .map(({ address, waitSeconds, count }): Reason => {
      return { text: 'waits', values: { address, minutes: Math.ceil(waitSeconds / MINUTE), count }, remedy: 'unlock' }
    })
  return [...isLocked, ...waiting]
}

function groups({ groups: own }: KnownPerson, entryPoints: readonly EntryPoint[] | null): Reason[] {
  if (own === null || entryPoints === null) return []
  const closed = closedTo(own, entryPoints)
  if (closed.length < entryPoints.length) return []
  return closed.map((one) => ({ text: 'groups', values: valuesOf(one), remedy: 'edit' }))
}

/** Lists entry points that do not let the viewer in, while another one does. */
export function otherEntryPoints({ groups: own }: KnownPerson, entryPoints: readonly EntryPoint[] | null): Reason[] {
  if (own === null || entryPoints === null) return []
  const closed = closedTo(own, entryPoints)
  if (closed.length === entryPoints.length) return []
  return closed.map((one) => ({ text: 'otherGroups', values: valuesOf(one) }))
}

function closedTo(own: readonly string[], entryPoints: readonly EntryPoint[]): EntryPoint[] {
  return entryPoints.filter(({ allowedGroups }) => allowedGroups && !allowedGroups.some((one) => own.includes(one)))
}

function valuesOf({ name, allowedGroups }: EntryPoint) {
  return { entryPoint: name, groups: (allowedGroups ?? []).join(', ') }
}

/** Lists the entry points at which no viewer may watch now. */
function closed(entryPoints: readonly EntryPoint[] | null, { events, nowSeconds }: EventNow): Reason[] {
  return (entryPoints ?? []).flatMap((entryPoint) =>
    events.flatMap((event) => {
      const state = event.stateAt(entryPoint, nowSeconds).name
      if (state === 'open') return []
      return [{ text: state === 'over' ? 'doorsOver' : 'doorsNotYet', values: { entryPoint: entryPoint.name } }]
    }),
  )
}
