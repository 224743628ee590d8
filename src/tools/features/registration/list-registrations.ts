import { type Registration, takenOf } from '../../../features/registration/book/registration.ts'
import type { RegistrationFilter } from '../../../features/registration/book/registrations.ts'
import { mailboxKey } from '../../../services/mail-code/code-limits.ts'
import type { Outcome } from '../../cli/terminal/command.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import { textTable } from '../../cli/terminal/table.ts'
import { counted } from '../../cli/terminal/text.ts'
import { type OpenRegistrations, pagesOf, type RegistrationOptions, withRegistrations } from './open-registrations.ts'

interface ListOptions extends RegistrationOptions {
  readonly after?: string
  readonly limit: number
}

/** The registrations of a page, and how many are in each state. */
export type ListedRegistrations = Awaited<ReturnType<typeof registrationsPage>>

/** Prints a page of registrations, and how many are in each state. */
export async function listRegistrations(io: CommandIo, options: ListOptions): Promise<Outcome> {
  const data = await withRegistrations(io, options, (opened) =>
    registrationsPage(opened, { ...options, domain: options.domain?.toLowerCase() }),
  )
  const more = data.next === null ? '' : `\nThere are more. Continue with --after ${data.next}`
  return { ok: true, data, text: `${countsText(data)}\n${await tableOf(io, data.registrations)}${more}` }
}

export async function registrationsPage({ entryPoint, registrations }: OpenRegistrations, filter: RegistrationFilter) {
  const { most } = registrations.settings
  const all = await registrations.counts()
  const { nextTurn: _nextTurn, ...counts } = all
  const page = await registrations.page(filter)
  const ofMailbox = new Map<string, number>()
  for await (const rows of pagesOf(registrations, {})) {
    for (const { address } of rows) {
      const mailbox = mailboxKey(address)
      ofMailbox.set(mailbox, (ofMailbox.get(mailbox) ?? 0) + 1)
    }
  }
  return {
    entryPoint: entryPoint.name,
    most,
    free: most === null ? null : Math.max(0, most - takenOf(all)),
    counts,
    registrations: page.registrations.map((one) => ({
      ...rowOf(one),
      // All registrations whose addresses lead to the same mailbox.
      ofMailbox: ofMailbox.get(mailboxKey(one.address)) ?? 1,
    })),
    next: page.next,
  }
}

/** Returns a registration in the form of `--json`. Times are ISO 8601, in UTC. */
export function rowOf({ registeredAtSeconds, changedAtSeconds, consents, turn: _turn, ...row }: Registration) {
  return {
    ...row,
    consents: consents.map(({ atSeconds, ...consent }) => ({ ...consent, at: isoOf(atSeconds) })),
    registeredAt: isoOf(registeredAtSeconds),
    changedAt: isoOf(changedAtSeconds),
  }
}

export function isoOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

function countsText({ counts, most }: ListedRegistrations): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
  const text = parts.map(([name, count]) => `${count.toLocaleString('en')} ${name.replaceAll('-', ' ')}`).join(', ')
  const places = most === null ? '' : ` of ${counted(most, 'place')}`
  return text === '' ? `No registrations${places}.` : `${text}${places}.`
}

async function tableOf({ stdout }: CommandIo, rows: ListedRegistrations['registrations']): Promise<string> {
  if (rows.length === 0) return 'No registrations match.'
  const cells = rows.map(({ address, state, registeredAt, attributes, ofMailbox }) => [
    ofMailbox > 1 ? `${address} (${ofMailbox} of one mailbox)` : address,
    state.replaceAll('-', ' '),
    registeredAt.slice(0, 16).replace('T', ' '),
    Object.entries(attributes)
      .map(([name, value]) => `${name}=${value}`)
      .join(', '),
  ])
  return await textTable(stdout, ['Address', 'State', 'Registered (UTC)', 'Answers'], cells)
}
