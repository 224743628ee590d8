import { readFile } from 'node:fs/promises'
import { ConfigError } from '../../errors.ts'
import { type WatchOptions, watchFiles } from '../../files/watched-files.ts'
import { domainOf } from '../../services/guests/mail-address.ts'
import type { MailSignInSettings } from './fields.ts'
import { type Guest, readGuestFile } from './guest-file.ts'

/** The guests of one entry point, as they are now. */
export type GuestList = Awaited<ReturnType<typeof openGuestList>>

const READ_EVERY_MS = 2_000
const MOST_FAULTS = 10
const NO_MORE: Guest = { groups: [], attributes: {} }
const NOBODY: ReadonlyMap<string, Guest> = new Map()

interface GuestListDeps extends Partial<Pick<WatchOptions<unknown>, 'everyMs' | 'standMs'>> {
  readonly onChange: (guests: number, came: number, went: number) => void
  /** Called with a sentence once for each state of the file. The guests stay as they were. */
  readonly onFault: (fault: string) => void
  /** Called with the rows that were left out. */
  readonly onBadRows?: (rows: string) => void
}

/**
 * Opens the guests of the settings and of their file, which is watched.
 * @throws ConfigError if the file cannot be read at the start.
 */
export async function openGuestList(
  { mode, guests, file }: MailSignInSettings,
  { onChange, onFault, onBadRows, everyMs = READ_EVERY_MS, standMs }: GuestListDeps,
) {
  const fixed = new Map(guests.map((one) => ['address' in one ? one.address : `*@${one.domain}`, NO_MORE]))
  async function parse([content = Buffer.of()]: readonly Buffer[]): Promise<ReadonlyMap<string, Guest>> {
    const read = await readGuestFile(content)
    const rows = read.faults.slice(0, MOST_FAULTS).join('; ')
    const more = read.faults.length - MOST_FAULTS
    if (rows !== '')
      onBadRows?.(`MAIL_GUESTS_FILE: ${file} has bad rows: ${rows}${more > 0 ? `; and ${more} more` : ''}`)
    return read.guests
  }
  async function watch(path: string) {
    try {
      const startContents = [await readFile(path)]
      return watchFiles([path], await parse(startContents), {
        everyMs,
        standMs,
        startContents,
        parse,
        itemsOf: (list) => list.keys(),
        onChange: (list, came, went) => onChange(list.size + fixed.size, came, went),
        onFault: (fault) => onFault(`MAIL_GUESTS_FILE ${fault}`),
      })
    } catch (cause) {
      throw new ConfigError(`MAIL_GUESTS_FILE: ${path} ${(cause as Error).message.replace(/\.$/, '')}.`, { cause })
    }
  }
  const watched = file === null ? null : await watch(file)
  const found = () => watched?.current() ?? NOBODY
  return {
    /** Null for an address that is not on the list. */
    find(address: string): Guest | null {
      if (mode === 'anyone') return NO_MORE
      const domain = `*@${domainOf(address)}`
      const listed = found()
      return listed.get(address) ?? fixed.get(address) ?? listed.get(domain) ?? fixed.get(domain) ?? null
    },
    /** True if the list names this address itself, and not only its domain. */
    has: (address: string): boolean => found().has(address) || fixed.has(address),
    size: () => found().size + fixed.size,
    close: (): void => watched?.close(),
  }
}
