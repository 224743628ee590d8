import { statSync } from 'node:fs'
import { ConfigError } from '../../errors.ts'
import { domainOf } from '../../services/guests/mail-address.ts'
import type { MailSignInSettings } from './fields.ts'
import { type Guest, readGuestFile } from './guest-file.ts'

/** The guests of one entry point, as they are now. */
export interface GuestList {
  /** Null for an address that is not on the list. */
  find(address: string): Guest | null
  readonly size: () => number
  close(): void
}

const READ_EVERY_MS = 2_000
const NO_MORE: Guest = { groups: [], attributes: {} }

interface GuestListDeps {
  readonly onChange: (guests: number) => void
  /** Called once for each state of the file. The guests stay as they were. */
  readonly onFault: (fault: string) => void
  readonly everyMs?: number
}

/**
 * Opens the guests of the settings and of their file, which is read again when it changes.
 * @throws ConfigError if the file cannot be read at the start.
 */
export async function openGuestList(
  { mode, guests, file }: MailSignInSettings,
  { onChange, onFault, everyMs = READ_EVERY_MS }: GuestListDeps,
): Promise<GuestList> {
  const fixed = new Map(guests.map((one) => ['address' in one ? one.address : `*@${one.domain}`, NO_MORE]))
  let found: ReadonlyMap<string, Guest> = new Map()
  let state = ''
  async function read(path: string): Promise<void> {
    // Read before the file, so that a change in between is read at the next turn.
    state = stateOf(path)
    found = new Map((await readGuestFile(path)).map(({ pattern, guest }) => [pattern, guest]))
  }
  async function readAgain(path: string): Promise<void> {
    if (stateOf(path) === state) return
    try {
      await read(path)
      onChange(found.size + fixed.size)
    } catch (error) {
      onFault(`MAIL_GUESTS_FILE ${(error as Error).message}`)
    }
  }
  let timer: NodeJS.Timeout | undefined
  if (file !== null) {
    await read(file).catch((cause: unknown) => {
      throw new ConfigError(`MAIL_GUESTS_FILE: ${file} ${(cause as Error).message}.`, { cause })
    })
    let running = false
    timer = setInterval(() => {
      if (running) return
      running = true
      void readAgain(file).finally(() => {
        running = false
      })
    }, everyMs).unref()
  }
  return {
    find(address) {
      if (mode === 'anyone') return NO_MORE
      const domain = `*@${domainOf(address)}`
      return found.get(address) ?? fixed.get(address) ?? found.get(domain) ?? fixed.get(domain) ?? null
    },
    size: () => found.size + fixed.size,
    close: () => clearInterval(timer),
  }
}

/** Returns a text that changes with the file. A missing file has a state too. */
function stateOf(path: string): string {
  const status = statSync(path, { throwIfNoEntry: false })
  return status ? `${status.mtimeMs} ${status.size} ${status.ino}` : 'gone'
}
