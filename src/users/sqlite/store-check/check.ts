import { existsSync } from 'node:fs'
import type { CheckedViewers, StoreChecks, StoreFinding } from '../../store-check/store-check.ts'

/** Checks the promises of a store in a file. */
export async function* checkSqliteStore(
  { file }: { readonly file: string },
  viewers: CheckedViewers,
  { checkStore }: StoreChecks,
): AsyncGenerator<StoreFinding> {
  // Opening the file would create it.
  if (!existsSync(file)) {
    const text = `There is no file ${file}. Check USER_STORE_URL; viewers add creates the file.`
    yield { state: 'failure', code: 'opens', text }
    return
  }
  const { openSqliteStore } = await import('../store.ts')
  yield* checkStore((warn) => Promise.resolve(openSqliteStore(file, { warn })), viewers, null)
}
