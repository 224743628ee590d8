import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import type { EventTimes } from '../../cli/settings/event-times.ts'
import type { KnownPerson } from '../../cli/viewers/show-command.ts'
import type { Words } from '../pages/words.ts'
import type { OtherWay, Reason, WayDeps } from './other-ways.ts'

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

/** The answer for one event: how the person can enter now, or what keeps the person out. */
export interface EventAnswer {
  /** Null if the settings cannot be read. */
  readonly entryPoint: string | null
  /** The names of the ways in that are open to the person. */
  readonly ways: readonly string[]
  /** The strongest first. Empty if nothing is in the way. */
  readonly reasons: readonly Reason[]
  /** Why other ways are closed, although one is open. */
  readonly notes: readonly Reason[]
}

/**
 * Returns an answer for each event that the manager sees.
 * @param entryPoints null if the settings cannot be read.
 * @param others the ways in without a password.
 */
export function answersFor(
  person: KnownPerson,
  entryPoints: readonly EntryPoint[] | null,
  others: readonly OtherWay[],
  deps: WayDeps & Pick<EventNow, 'events'>,
  words: Words,
): Promise<readonly EventAnswer[]> {
  const times = { events: deps.events, nowSeconds: deps.nowSeconds() }
  async function answerAt(entryPoint: EntryPoint): Promise<EventAnswer> {
    const isOpen = await Promise.all(others.map((way) => way.isOpenTo(person, entryPoint, deps)))
    const open = others.filter((_way, index) => isOpen[index]).map(({ name }) => name)
    const hindrances = others.flatMap((way) => way.hindrance?.(person, entryPoint, words) ?? [])
    const ways = [...(person.state === 'active' && entryPoint.hasPasswordForm ? ['password'] : []), ...open]
    const isIn = ways.length > 0
    const reasons = reasonsFor(person, entryPoint, times, open, isIn ? [] : hindrances)
    return { entryPoint: entryPoint.name, ways, reasons, notes: isIn ? hindrances : [] }
  }
  if (entryPoints !== null) return Promise.all(entryPoints.map(answerAt))
  const ways = person.state === 'active' ? ['password'] : []
  return Promise.resolve([{ entryPoint: null, ways, reasons: reasonsFor(person, null, times, [], []), notes: [] }])
}

function reasonsFor(
  person: KnownPerson,
  entryPoint: EntryPoint | null,
  times: EventNow,
  otherWays: readonly string[],
  hindrances: readonly Reason[],
): readonly Reason[] {
  const hasOtherWay = otherWays.length > 0 && WITHOUT_OTHER_WAY.includes(person.state)
  const ofState = hasOtherWay ? [] : reasonsOfState(person, entryPoint, hindrances)
  const ofEvent = entryPoint === null ? [] : [...groups(person, entryPoint), ...closed(entryPoint, times)]
  return [...ofState, ...limits(person), ...ofEvent]
}

function reasonsOfState(
  { state }: KnownPerson,
  entryPoint: EntryPoint | null,
  hindrances: readonly Reason[],
): readonly Reason[] {
  if (hindrances.length > 0 && WITHOUT_ACCOUNT.includes(state)) return hindrances
  // Without the settings, the ways of guests are not known.
  if (state === 'guest' && entryPoint === null) return []
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

function groups({ groups: own }: KnownPerson, { name, allowedGroups }: EntryPoint): Reason[] {
  if (own === null || allowedGroups === null || allowedGroups.some((one) => own.includes(one))) return []
  return [{ text: 'groups', values: { entryPoint: name, groups: allowedGroups.join(', ') }, remedy: 'edit' }]
}

/** Returns why no viewer may watch at the entry point now. */
function closed(entryPoint: EntryPoint, { events, nowSeconds }: EventNow): Reason[] {
  return events.flatMap((event) => {
    const state = event.stateAt(entryPoint, nowSeconds).name
    if (state === 'open') return []
    return [{ text: state === 'over' ? 'doorsOver' : 'doorsNotYet', values: { entryPoint: entryPoint.name } }]
  })
}
