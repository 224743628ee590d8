import type { Counts, Registration } from '../../../features/registration/book/registration.ts'
import type { Outcome } from '../../cli/command.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'
import { textTable } from '../../cli/terminal/table.ts'
import { counted } from '../../cli/terminal/text.ts'
import { withRegistrations } from './open-registrations.ts'
import type { RegistrationOptions } from './options.ts'

interface ListOptions extends RegistrationOptions {
  readonly after?: string
  readonly limit: number
}

/** Prints a page of registrations, and how many are in each state. */
export async function listRegistrations(io: CommandIo, options: ListOptions): Promise<Outcome> {
  const { state, after, limit } = options
  return await withRegistrations(io, options, async ({ entryPoint, registrations }) => {
    const domain = options.domain?.toLowerCase()
    const [counts, page] = [await registrations.counts(), await registrations.page({ state, domain, after, limit })]
    const { nextTurn: _nextTurn, ...numbers } = counts
    const data = {
      entryPoint: entryPoint.name,
      most: registrations.settings.most,
      counts: numbers,
      registrations: page.registrations.map(rowOf),
      next: page.next,
    }
    const more = page.next === null ? '' : `\nThere are more. Continue with --after ${page.next}`
    const { most } = registrations.settings
    return { ok: true, data, text: `${countsText(counts, most)}\n${await tableOf(io, page.registrations)}${more}` }
  })
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

function countsText(counts: Counts, most: number | null): string {
  const { nextTurn: _nextTurn, ...numbers } = counts
  const parts = Object.entries(numbers).filter(([, count]) => count > 0)
  const text = parts.map(([name, count]) => `${count.toLocaleString('en')} ${name.replaceAll('-', ' ')}`).join(', ')
  const places = most === null ? '' : ` of ${counted(most, 'place')}`
  return text === '' ? `No registrations${places}.` : `${text}${places}.`
}

async function tableOf({ stdout }: CommandIo, registrations: readonly Registration[]): Promise<string> {
  if (registrations.length === 0) return 'No registrations match.'
  const rows = registrations.map(({ address, state, registeredAtSeconds, attributes }) => [
    address,
    state.replaceAll('-', ' '),
    isoOf(registeredAtSeconds).slice(0, 16).replace('T', ' '),
    Object.entries(attributes)
      .map(([name, value]) => `${name}=${value}`)
      .join(', '),
  ])
  return await textTable(stdout, ['Address', 'State', 'Registered (UTC)', 'Answers'], rows)
}
