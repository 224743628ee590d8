import type { BackedUpStore } from '../../../cli/backup/backup-command.ts'
import { guestsStoreIn } from '../store-file.ts'

/** The store of guests. */
export const guestsFile: BackedUpStore = {
  setting: 'GUESTS_STORE_URL',
  name: 'guests',
  read: guestsStoreIn,
}
