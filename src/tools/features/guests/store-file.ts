import { readFeatureSettings } from '../../../config.ts'
import { GUESTS_SETTINGS } from '../../../services/guests/settings.ts'
import type { CommandIo } from '../../cli/terminal/io.ts'

/** Reads the store of guests. The address of the app is not used, so it may be missing. */
export function guestsStoreIn(env: CommandIo['env']) {
  return readFeatureSettings({ PUBLIC_URL: 'http://localhost', ...env }, GUESTS_SETTINGS).settings.store
}

/** Returns the file of the store of guests, if it is one. */
export function guestsFiles(env: CommandIo['env']): readonly string[] {
  const store = guestsStoreIn(env)
  return 'file' in store ? [String(store.file)] : []
}
