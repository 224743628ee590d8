import type { Config } from '../../../config.ts'
import type { EntryPoint } from '../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../errors.ts'
import type { MailSignInSettings } from '../../../features/mail-sign-in/fields.ts'
import { openGuestList } from '../../../features/mail-sign-in/guest-list.ts'

type EntryPoints = Pick<Config, 'entryPoints'>

/** Lists the faults of the files of guests: the app does not start with one, or leaves out the rows that the fault names. */
export async function faultsOfGuests({ entryPoints }: EntryPoints): Promise<readonly string[]> {
  const read = await Promise.all(entryPoints.map(readGuests))
  return [...new Set(read.flatMap((one) => one?.fault ?? []))]
}

/** Returns a sentence about the number of guests for each entry point with a file of guests. */
export async function guestCounts({ entryPoints }: EntryPoints): Promise<readonly string[]> {
  const read = await Promise.all(entryPoints.map(readGuests))
  return read.flatMap((one, index) => {
    const name = entryPoints[index]?.name
    return one === null ? [] : `Guests of entry point ${name}, by its settings and MAIL_GUESTS_FILE: ${one.count}.`
  })
}

/** Reads the guests as the app does. Null without a file. */
async function readGuests({ features }: EntryPoint): Promise<{ fault: string | null; count: number } | null> {
  const settings = features['mail-sign-in'] as MailSignInSettings | undefined
  if (!settings?.file) return null
  try {
    let fault: string | null = null
    const onBadRows = (rows: string) => {
      fault = `${rows}. The other rows count.`
    }
    const guests = await openGuestList(settings, { onChange: () => {}, onFault: () => {}, onBadRows })
    guests.close()
    return { fault, count: guests.size() }
  } catch (error) {
    if (error instanceof ConfigError) return { fault: error.message, count: 0 }
    throw error
  }
}
