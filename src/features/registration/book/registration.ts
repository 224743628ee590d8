import { z } from 'zod'
import { domainOf } from '../../../services/guests/mail-address.ts'
import type { Approval } from '../settings/settings.ts'

export const STATES = ['waiting-for-approval', 'on-waiting-list', 'approved', 'refused', 'cancelled'] as const
export type RegistrationState = (typeof STATES)[number]

const Seconds = z.number().nonnegative()
/** The consent of a guest to one version of a text. */
const Consent = z.object({ name: z.string(), version: z.string(), atSeconds: Seconds })
export type Consent = Readonly<z.output<typeof Consent>>

const Stored = z.object({
  state: z.enum(STATES),
  attributes: z.record(z.string(), z.string()).readonly(),
  consents: z.array(Consent).readonly(),
  /** The language of the guest, for mails. */
  language: z.string(),
  registeredAtSeconds: Seconds,
  /** The time of the last change of the state. */
  changedAtSeconds: Seconds,
  /** The turn on the waiting list. Null for a guest who is not on the list. */
  turn: z.number().nullable(),
})

/** The registration of a mail address at an entry point. UNIX times in seconds. */
export interface Registration extends Readonly<z.output<typeof Stored>> {
  readonly entryPoint: string
  /** Canonical, as parseMailAddress() returns it. */
  readonly address: string
}

/** The numbers of an entry point. They stay when a registration is forgotten. */
export type Counts = Readonly<Record<RegistrationState | 'forgotten' | 'nextTurn', number>>

const Count = z.int().nonnegative().default(0)
const StoredCounts = z.object({
  'waiting-for-approval': Count,
  'on-waiting-list': Count,
  approved: Count,
  refused: Count,
  cancelled: Count,
  forgotten: Count,
  nextTurn: Count,
})

export const NO_COUNTS: Counts = StoredCounts.parse({})

/** Parses a record. @throws Error for a text that this app did not write. */
export function parseRegistration(entryPoint: string, address: string, text: string): Registration {
  return { entryPoint, address, ...Stored.parse(JSON.parse(text)) }
}

export function registrationText({ entryPoint: _entryPoint, address: _address, ...stored }: Registration): string {
  return JSON.stringify(stored)
}

export function parseCounts(text: string): Counts {
  return StoredCounts.parse(JSON.parse(text))
}

/** Counts stored registrations again. @param before has the numbers that no registration has: forgotten guests, next turn. */
export function countsOf(texts: readonly string[], before: Counts): Counts {
  if (texts.length === 0) return NO_COUNTS
  const states = texts.map((text) => Stored.parse(JSON.parse(text)).state)
  const found = STATES.map((state) => [state, states.filter((one) => one === state).length])
  return { ...before, ...Object.fromEntries(found) }
}

/** Returns the number of places that are taken. A guest who waits for approval has a place. */
export function takenOf(counts: Counts): number {
  return counts.approved + counts['waiting-for-approval']
}

/** True if the state has a place. */
export function hasPlace(state: RegistrationState): boolean {
  return state === 'approved' || state === 'waiting-for-approval'
}

/** Returns the state of a guest who gets a place. */
export function stateWithPlace(approval: Approval, address: string): 'approved' | 'waiting-for-approval' {
  if (approval.kind === 'none') return 'approved'
  const isKnown = approval.kind === 'domains' && approval.domains.includes(domainOf(address))
  return isKnown ? 'approved' : 'waiting-for-approval'
}
