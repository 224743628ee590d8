import { domainOf } from '../../../services/guests/mail-address.ts'
import type { RegistrationSettings } from '../settings/settings.ts'
import { type Book, type BookDeps, bookNames, createBook } from './book.ts'
import {
  type Counts,
  hasPlace,
  type Registration,
  type RegistrationState,
  stateWithPlace,
  takenOf,
} from './registration.ts'

/** The form, before a guest types anything. */
export type Openness = 'open' | 'waiting-list' | 'full' | 'closed' | 'over'

export type NewGuest = Pick<Registration, 'address' | 'attributes' | 'consents' | 'language'>

export type Registering =
  | { readonly ok: true; readonly registration: Registration; readonly isNew: boolean }
  | { readonly ok: false; readonly reason: 'full' | 'closed' }

export type Change =
  | { readonly ok: true; readonly registration: Registration }
  | { readonly ok: false; readonly reason: 'unknown' | 'full' | 'same' }
  /** As another person decided meanwhile. */
  | { readonly ok: false; readonly reason: 'decided'; readonly registration: Registration }

/** A registration as a person saw it who decides. Without it, the decision counts whatever the state is. */
export type Seen = Pick<Registration, 'state' | 'changedAtSeconds'> | undefined

export interface RegistrationFilter {
  /** Default: all states. */
  readonly state?: RegistrationState | undefined
  /** The domain of the address. Default: all. */
  readonly domain?: string | undefined
  /** A part of the address or of an answer. Case does not count. */
  readonly text?: string | undefined
  /** `next` of the page before. */
  readonly after?: string | undefined
  readonly limit: number
}

/** `next` is null on the last page. */
export interface RegistrationPage {
  readonly registrations: readonly Registration[]
  readonly next: string | null
}

/**
 * The registrations of one entry point, for the app, for commands and for other pages. Every function throws an
 * UpstreamError if the store does not answer, and an OverloadedError if too many guests register at once.
 */
export interface Registrations {
  readonly settings: RegistrationSettings
  find(address: string): Promise<Registration | null>
  counts(): Promise<Counts>
  openness(): Promise<Openness>
  /**
   * Registers an address that was proven. An address that is registered stays as it is.
   * @param guest with the attributes of the form, and no other.
   */
  register(guest: NewGuest): Promise<Registering>
  approve(address: string, seen?: Seen): Promise<Change>
  refuse(address: string, seen?: Seen): Promise<Change>
  cancel(address: string, seen?: Seen): Promise<Change>
  /** Deletes a registration with all personal data. Its number stays. Returns false for an unknown address. */
  forget(address: string): Promise<boolean>
  /** Lets all that is stored end at `deletesAt`, which may have moved since. The app calls this once after each start. */
  followDeletesAt(): Promise<void>
  /** Gives free places to the waiting list, in its order. Returns the guests who got a place. */
  moveOn(): Promise<readonly Registration[]>
  /** Returns registrations in the order of their addresses. */
  page(filter: RegistrationFilter): Promise<RegistrationPage>
}

export interface RegistrationsDeps extends Omit<BookDeps, 'deletesAtSeconds'> {
  readonly settings: RegistrationSettings
  readonly nowSeconds: () => number
}

const SCANNED_AT_ONCE = 500

interface Rules {
  readonly book: Book
  readonly settings: RegistrationSettings
  readonly nowSeconds: () => number
  readonly hasFreePlace: (counts: Counts) => boolean
  readonly isClosed: () => boolean
}

export function createRegistrations(deps: RegistrationsDeps): Registrations {
  const { settings, nowSeconds } = deps
  const { most, closesAt, deletesAt, hasWaitingList } = settings
  const book = createBook({ ...deps, deletesAtSeconds: deletesAt?.seconds ?? null })
  const hasFreePlace = (counts: Counts) => most === null || takenOf(counts) < most
  const isOver = () => deletesAt !== null && nowSeconds() >= deletesAt.seconds
  const isClosed = () => isOver() || (closesAt !== null && nowSeconds() >= closesAt.seconds)
  const rules = { book, settings, nowSeconds, hasFreePlace, isClosed }
  const moveOn = () => moveWaitingList(rules)
  async function change(address: string, state: 'approved' | 'refused' | 'cancelled', seen: Seen): Promise<Change> {
    const result = await setState(rules, address, state, seen)
    if (result.ok) await moveOn()
    return result
  }
  return {
    settings,
    find: async (address) => (await book.find(address))?.registration ?? null,
    counts: book.counts,
    async openness() {
      if (isClosed()) return isOver() ? 'over' : 'closed'
      return isPlaceFor(rules, await book.counts()) ? 'open' : hasWaitingList ? 'waiting-list' : 'full'
    },
    register: (guest) => register(rules, guest),
    approve: (address, seen) => change(address, 'approved', seen),
    refuse: (address, seen) => change(address, 'refused', seen),
    cancel: (address, seen) => change(address, 'cancelled', seen),
    async forget(address) {
      const isForgotten = await forget(rules, address)
      if (isForgotten) await moveOn()
      return isForgotten
    },
    followDeletesAt: book.followDeletesAt,
    moveOn,
    page: (filter) => pageOf(book, filter),
  }
}

/** True if a new guest gets a place: guests of the waiting list come first. */
function isPlaceFor({ hasFreePlace }: Rules, counts: Counts): boolean {
  return hasFreePlace(counts) && counts['on-waiting-list'] === 0
}

async function register(rules: Rules, { address, ...given }: NewGuest): Promise<Registering> {
  const { book, settings, nowSeconds, isClosed } = rules
  return await book.decide<Registering>(async (counts) => {
    const known = await book.find(address)
    if (known !== null) return { result: { ok: true, registration: known.registration, isNew: false } }
    if (isClosed()) return { result: { ok: false, reason: 'closed' } }
    const isPlace = isPlaceFor(rules, counts)
    if (!isPlace && !settings.hasWaitingList) return { result: { ok: false, reason: 'full' } }
    const state = isPlace ? stateWithPlace(settings.approval, address) : ('on-waiting-list' as const)
    const turn = isPlace ? null : counts.nextTurn
    const now = nowSeconds()
    const times = { registeredAtSeconds: now, changedAtSeconds: now }
    const registration = { entryPoint: book.entryPoint, address, ...given, state, turn, ...times }
    const steps = book.stored(registration, null, state)
    const change = { [state]: 1, ...(turn !== null && { nextTurn: 1 }) }
    return { result: { ok: true, registration, isNew: true }, steps, change }
  })
}

/** Gives a known guest another state. A state with a place needs a free one. */
async function setState(
  { book, nowSeconds, hasFreePlace }: Rules,
  address: string,
  state: 'approved' | 'refused' | 'cancelled',
  seen: Seen,
): Promise<Change> {
  return await book.decide<Change>(async (counts) => {
    const found = await book.find(address)
    if (found === null) return { result: { ok: false, reason: 'unknown' } }
    const { state: before } = found.registration
    if (before === state) return { result: { ok: false, reason: 'same' } }
    if (seen !== undefined && hasChangedSince(found.registration, seen))
      return { result: { ok: false, reason: 'decided', registration: found.registration } }
    const needsPlace = hasPlace(state) && !hasPlace(before)
    if (needsPlace && !hasFreePlace(counts)) return { result: { ok: false, reason: 'full' } }
    const registration = { ...found.registration, state, turn: null, changedAtSeconds: nowSeconds() }
    const steps = book.stored(registration, found, state)
    return { result: { ok: true, registration }, steps, change: { [before]: -1, [state]: 1 } }
  })
}

/** Times of pages and lists have milliseconds. */
function hasChangedSince({ state, changedAtSeconds }: Registration, seen: NonNullable<Seen>): boolean {
  return state !== seen.state || Math.abs(changedAtSeconds - seen.changedAtSeconds) >= 0.001
}

/**
 * Deletes the registrations of an address at all entry points that have registrations, also at those that the settings no
 * longer name. Returns their number. No free place goes to the waiting list.
 * @param sees false for the name of an entry point whose registrations stay.
 */
export async function forgetEverywhere(
  records: BookDeps['records'],
  address: string,
  sees: (entryPoint: string) => boolean,
): Promise<number> {
  let forgotten = 0
  for (const entryPoint of (await bookNames(records)).filter(sees)) {
    const book = createBook({ records, entryPoint, deletesAtSeconds: null, mailOf: () => [] })
    if (await forget({ book }, address)) forgotten += 1
  }
  return forgotten
}

async function forget({ book }: Pick<Rules, 'book'>, address: string): Promise<boolean> {
  return await book.decide<boolean>(async () => {
    const found = await book.find(address)
    if (found === null) return { result: false }
    return { result: true, steps: book.deleted(found), change: { [found.registration.state]: -1, forgotten: 1 } }
  })
}

async function moveWaitingList({ book, settings, nowSeconds, hasFreePlace }: Rules): Promise<Registration[]> {
  const moved: Registration[] = []
  while (true) {
    const next = await book.decide<Registration | null>(async (counts) => {
      if (counts['on-waiting-list'] === 0 || !hasFreePlace(counts)) return { result: null }
      const found = await book.first()
      if (found === null) return { result: null }
      const state = stateWithPlace(settings.approval, found.registration.address)
      const registration = { ...found.registration, state, turn: null, changedAtSeconds: nowSeconds() }
      const steps = book.stored(registration, found, state === 'approved' ? 'place-free' : 'place-free-waiting')
      return { result: registration, steps, change: { 'on-waiting-list': -1, [state]: 1 } }
    })
    if (next === null) return moved
    moved.push(next)
  }
}

async function pageOf(book: Book, filter: RegistrationFilter): Promise<RegistrationPage> {
  const { state, domain, after, limit } = filter
  const text = filter.text?.toLowerCase()
  const registrations: Registration[] = []
  let last = after
  while (true) {
    const read = await book.list(last, SCANNED_AT_ONCE)
    for (const registration of read) {
      last = registration.address
      const isInState = state === undefined || registration.state === state
      const isInDomain = domain === undefined || domainOf(registration.address) === domain
      const texts = [registration.address, ...Object.values(registration.attributes)]
      const hasText = text === undefined || texts.some((one) => one.toLowerCase().includes(text))
      if (isInState && isInDomain && hasText) registrations.push(registration)
      if (registrations.length === limit) return { registrations, next: last }
    }
    if (read.length < SCANNED_AT_ONCE) return { registrations, next: null }
  }
}
