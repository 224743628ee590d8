import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { openGuestStore } from '../../../../services/guests/record-stores.ts'
import type { StoreChecks, StoreFinding } from '../../../../users/store-check/store-check.ts'
import type { CommandIo } from '../../../cli/terminal/io.ts'
import { guestsFiles, guestsStoreIn } from '../store-file.ts'

const KIND = 'store-check'
const LIFE_SECONDS = 60
const KEPT = 'The guests store answers, has its table, and keeps what is written.'

/** The guests store, for `store check`. */
export const guestsStore = {
  about: 'writes a record into the guests store, and deletes it again.',
  check: checkGuestsStore,
}

/** Checks that the guests store answers and keeps a record. Checks nothing without a setting and a file. */
async function* checkGuestsStore(
  env: CommandIo['env'],
  { check }: Pick<StoreChecks, 'check'>,
): AsyncGenerator<StoreFinding> {
  const isNamed = Boolean(env.GUESTS_STORE_URL || env.GUESTS_STORE_URL_FILE)
  const [file] = guestsFiles(env)
  if (file !== undefined && !existsSync(file)) {
    const text = 'The file of the guests store is missing: the app creates it at its first use.'
    if (isNamed) yield { state: 'unknown', code: 'guests-store', text }
    return
  }
  const nowSeconds = () => Date.now() / 1000
  yield await check('guests-store', KEPT, async () => {
    const store = await openGuestStore(guestsStoreIn(env), { nowSeconds })
    try {
      const own = { kind: KIND, key: randomBytes(9).toString('base64url') }
      await store.write([{ ...own, if: 'absent', text: 'x', endsAtSeconds: nowSeconds() + LIFE_SECONDS }])
      const isKept = (await store.read(own.kind, own.key))?.text === 'x'
      await store.write([{ ...own, text: null }])
      return isKept ? null : 'The guests store does not keep what is written. Check GUESTS_STORE_URL.'
    } finally {
      await store.close()
    }
  })
}
