import type { Change, Registrations } from '../../../features/registration/book/registrations.ts'
import { parseMailAddress } from '../../../services/guests/mail-address.ts'
import type { ActResult, Outcome } from '../../cli/terminal/command.ts'
import { confirmRemoval } from '../../cli/terminal/confirm.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import { counted, printable } from '../../cli/terminal/text.ts'
import { pagesOf, type RegistrationOptions, type Step, withRegistrations } from './open-registrations.ts'

interface ChangeOptions extends RegistrationOptions {
  readonly all?: boolean
  readonly yes?: boolean
  readonly perMinute: number
}

const DONE = { approve: 'Approved', refuse: 'Refused', cancel: 'Cancelled', forget: 'Forgot' } as const
const FAULTS = {
  unknown: 'is not registered',
  same: 'has this state already',
  full: 'was not approved: no place is free. Cancel another, or raise most',
  'not-an-address': 'is not a mail address',
} as const

type Fault = keyof typeof FAULTS
type Result = { readonly address: string; readonly fault: Fault | null }

export interface ChangedRegistrations {
  readonly changed: readonly string[]
  readonly faults: readonly { readonly address: string; readonly fault: Fault }[]
}

/** Changes the state of guests, or forgets them, and prints what was changed. */
export async function changeAndPrint(
  io: CommandIo,
  step: Step,
  given: readonly string[],
  options: ChangeOptions,
): Promise<Outcome> {
  const open = { entryPoint: options.entryPoint, mailsPerMinute: options.perMinute }
  return await withRegistrations(io, open, async ({ registrations }) => {
    const addresses = [...given]
    if (options.all) {
      const waiting = pagesOf(registrations, { ...options, state: 'waiting-for-approval' })
      for await (const page of waiting) addresses.push(...page.map(({ address }) => address))
    }
    if (addresses.length === 0)
      return { ok: true, text: 'No guest waits for approval.', data: { changed: 0, faults: [] } }
    if (step !== 'approve') {
      const many = addresses.length === 1 ? printable(addresses[0] ?? '') : counted(addresses.length, 'registration')
      const confirmed = await confirmRemoval(io, options.yes, `${capital(step)} ${many}?`)
      if (!confirmed.ok) return confirmed
    }
    const result = await changeRegistrations(registrations, step, addresses)
    if (!result.ok) return result
    const { changed, faults } = result.data
    const what = addresses.length === 1 ? printable(changed[0] ?? '') : counted(changed.length, 'registration')
    const text = [`${DONE[step]} ${what}.`, ...faults.map(faultLine)].join('\n')
    return { ok: true, text, data: { changed: changed.length, faults }, isPartial: faults.length > 0 }
  })
}

/** Changes the state of guests, or forgets them. A fault of one guest does not stop the others. Fails if all have a fault. */
export async function changeRegistrations(
  registrations: Registrations,
  step: Step,
  addresses: readonly string[],
): Promise<ActResult<ChangedRegistrations>> {
  const results: Result[] = []
  for (const typed of addresses) results.push(await changeOne(registrations, step, typed))
  const faults = results.flatMap(({ address, fault }) => (fault === null ? [] : { address, fault }))
  const changed = results.flatMap(({ address, fault }) => (fault === null ? address : []))
  if (changed.length === 0) return { ok: false, fault: faults.map(faultLine).join('\n') }
  return { ok: true, data: { changed, faults } }
}

function faultLine({ address, fault }: ChangedRegistrations['faults'][number]): string {
  return `${printable(address)} ${FAULTS[fault]}.`
}

async function changeOne(registrations: Registrations, step: Step, typed: string): Promise<Result> {
  const address = parseMailAddress(typed)
  if (address === null) return { address: typed, fault: 'not-an-address' }
  if (step === 'forget') return { address, fault: (await registrations.forget(address)) ? null : 'unknown' }
  const change: Change = await registrations[step](address)
  return { address, fault: change.ok ? null : change.reason }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
