import { join } from 'node:path'
import { createCodeStore } from '../../../src/features/access-codes/codes/code-store.ts'
import { NO_HOLDER, newCodes } from '../../../src/features/access-codes/codes/new-codes.ts'
import { openFileRecords } from '../../../src/services/guests/file-records.ts'
import { FIRST_PASSWORD_WAY } from '../../users/password-ways.ts'
import type { WayIn } from '../../way-in.ts'
import { batchOf, KEY } from './codes-app.ts'

export const accessCodeWay: WayIn = {
  name: 'an access code',
  async prepare(origin, folder) {
    const { settings } = await FIRST_PASSWORD_WAY.prepare(origin, folder)
    const file = join(folder, 'guests.db')
    const nowSeconds = () => Date.now() / 1000
    const records = openFileRecords(file, { nowSeconds, isCommand: true })
    const batch = batchOf({ createdAtSeconds: nowSeconds() })
    const { shown, stored } = newCodes(batch, [NO_HOLDER], KEY, null)
    await createCodeStore(records).create(batch, stored)
    await records.close()
    return {
      settings: { ...settings, ACCESS_CODES: 'on', ACCESS_CODE_KEY: KEY, GUESTS_STORE_URL: `sqlite:${file}` },
      signIn: (app) => app.post('/access-code', { code: shown[0]?.code ?? '' }),
    }
  },
}
