import { join } from 'node:path'
import { SETTINGS } from '../../../../settings.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { forgetEndedContract } from './forget-ended-contract.ts'

forgetEndedContract('in a file', () => {
  const cwd = temporaryFolder()
  const stores = { USER_STORE_URL: 'viewers', SESSION_STORE_URL: 'sessions', LIMITS_STORE_URL: 'limits' }
  const urls = Object.entries(stores).map(([name, file]) => [name, `sqlite:${join(cwd, `${file}.db`)}`])
  return Promise.resolve({ cwd, env: { ...SETTINGS, ...Object.fromEntries(urls) } })
})
