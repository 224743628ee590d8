import { readFeatureSettings } from '../../../../config.ts'
import { GUESTS_SETTINGS } from '../../../../services/guests/settings.ts'
import type { BackedUpStore } from '../../../cli/backup/backup-command.ts'

/** The store of guests. The address of the app is not used, so it may be missing. */
export const guestsFile: BackedUpStore = {
  setting: 'GUESTS_STORE_URL',
  name: 'guests',
  read: (env) => readFeatureSettings({ PUBLIC_URL: 'http://localhost', ...env }, GUESTS_SETTINGS).settings.store,
}
