import { readFeatureSettings } from '../../../../config.ts'
import { GUESTS_SETTINGS } from '../../../../features/guests/settings.ts'
import type { CommandIo } from '../../../cli/terminal/io.ts'

/** The store of guests. The address of the app is not used, so it may be missing. */
export function guestsFile(env: CommandIo['env']) {
  const { settings } = readFeatureSettings({ PUBLIC_URL: 'http://localhost', ...env }, GUESTS_SETTINGS)
  return { setting: 'GUESTS_STORE_URL', name: 'guests', settings: settings.store }
}
