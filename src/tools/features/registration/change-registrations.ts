import { hasPlace, type Registration } from '../../../features/registration/book/registration.ts'
import type { Registrations, Seen } from '../../../features/registration/book/registrations.ts'
import { parseMailAddress } from '../../../services/guests/mail-address.ts'
import type { Outcome } from '../../cli/terminal/command.ts'
import { confirmRemoval } from '../../cli/terminal/confirm.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import { counted, printable } from '../../cli/terminal/text.ts'
import { isoOf } from './list-registrations.ts'
import { pagesOf, type RegistrationOptions, type Step, withRegistrations } from './open-registrations.ts'

const DONE = { approve: 'Approved', refuse: 'Refused', cancel: 'Canceled', forget: 'Forgot' } as const
const FAULTS = {
  unknown: 'is not registered',
  same: 'has this state already',
  full: 'was not approved: no place is free. Cancel another, or raise most',
  'not-an-address': 'is not a mail address',
} as const

export type Fault = { readonly address: string } & (
  | { readonly fault: keyof typeof FAULTS }
  /** Another person has decided meanwhile, or a place was free for a guest of the waiting list. */
  | ({ readonly fault: 'decided' | 'moved-up' } & Pick<Registration, 'state' | 'changedAtSeconds'>)
)

export interface ChangedRegistrations {
  readonly changed: readonly string[]
  readonly faults: readonly Fault[]
}

/** A guest as typed or chosen, and as the person saw the guest who decides. */
export interface Asked {
  readonly address: string
  readonly seen?: Seen
}

/** Changes the state of guests, or forgets them, and prints what was changed. */
export async function changeAndPrint(
  io: CommandIo,
  step: Step,
  given: readonly string[],
  options: RegistrationOptions & { readonly all?: boolean; readonly yes?: boolean; readonly perMinute: number },
): Promise<Outcome> {
  const open = { entryPoint: options.entryPoint, mailsPerMinute: options.perMinute }
  return await withRegistrations(io, open, async ({ registrations }) => {
    const asked: Asked[] = []
    for (const address of given) asked.push({ address, seen: await seenNow(registrations, address) })
    if (options.all) {
      const waiting = pagesOf(registrations, { ...options, state: 'waiting-for-approval' })
      for await (const page of waiting) asked.push(...page.map((seen) => ({ address: seen.address, seen })))
    }
    if (asked.length === 0) return { ok: true, text: 'No guest waits for approval.', data: { changed: 0, faults: [] } }
    if (step !== 'approve') {
      const many = asked.length === 1 ? printable(asked[0]?.address ?? '') : counted(asked.length, 'registration')
      const confirmed = await confirmRemoval(io, options.yes, `${step[0]?.toUpperCase()}${step.slice(1)} ${many}?`)
      if (!confirmed.ok) return confirmed
    }
    const { changed, faults } = await changeRegistrations(registrations, step, asked)
    const lines = faults.map(faultLine)
    if (changed.length === 0) return { ok: false, fault: lines.join('\n') }
    const what = asked.length === 1 ? printable(changed[0] ?? '') : counted(changed.length, 'registration')
    const text = [`${DONE[step]} ${what}.`, ...lines].join('\n')
    return { ok: true, text, data: { changed: changed.length, faults }, isPartial: faults.length > 0 }
  })
}

/** Changes the state of guests, or forgets them. A fault of one guest does not stop the others. */
export async function changeRegistrations(
  registrations: Registrations,
  step: Step,
  asked: readonly Asked[],
): Promise<ChangedRegistrations> {
  const changed: string[] = []
  const faults: Fault[] = []
  for (const one of asked) {
    const result = await changeOne(registrations, step, one)
    if (typeof result === 'string') changed.push(result)
    else faults.push(result)
  }
  return { changed, faults }
}

function faultLine(one: Fault): string {
  if (!('state' in one)) return `${printable(one.address)} ${FAULTS[one.fault]}.`
  const time = isoOf(one.changedAtSeconds).slice(11, 16)
  const what = one.fault === 'decided' ? 'another person decided this' : 'came up from the waiting list'
  return `${printable(one.address)}: ${what} at ${time} UTC: ${one.state.replaceAll('-', ' ')}.`
}

async function seenNow(registrations: Registrations, typed: string): Promise<Seen> {
  const address = parseMailAddress(typed)
  return (address !== null && (await registrations.find(address))) || undefined
}

/** Returns the address, or why the guest was not changed. */
async function changeOne(registrations: Registrations, step: Step, { address: typed, seen }: Asked) {
  const address = parseMailAddress(typed)
  if (address === null) return { address: typed, fault: 'not-an-address' } as const
  if (step === 'forget')
    return (await registrations.forget(address)) ? address : ({ address, fault: 'unknown' } as const)
  const change = await registrations[step](address, seen)
  if (change.ok) return address
  if (change.reason !== 'decided') return { address, fault: change.reason }
  const { state, changedAtSeconds } = change.registration
  const hasMovedUp = seen?.state === 'on-waiting-list' && hasPlace(state)
  return { address, fault: hasMovedUp ? 'moved-up' : change.reason, state, changedAtSeconds } as const
}
