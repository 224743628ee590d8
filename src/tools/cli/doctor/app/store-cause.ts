import { existsSync } from 'node:fs'
import type { Config } from '../../../../config.ts'
import { ConfigError } from '../../../../errors.ts'
import { userStores } from '../../../../users/open-user-store.ts'
import type { ChecksStore } from '../../../../users/store-check/store-check.ts'
import type { UserStoreKind } from '../../../../users/user-store-kind.ts'
import { storeChecks } from '../../settings/check-store.ts'
import { viewersFile } from '../../settings/viewers-file.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { type Finding, failure } from '../finding.ts'

/**
 * Runs the checks of `store check` with these settings, for an app that does not start or whose store is away.
 * @returns the first promise that the store breaks; null if it keeps all.
 */
export async function storeCause(
  { env }: Pick<CommandIo, 'env'>,
  { userStore }: Pick<Config, 'userStore'>,
): Promise<Finding | null> {
  const file = viewersFile(env)
  // The app creates the file when it starts.
  if (file !== null && !existsSync(file)) return null
  const kind: UserStoreKind & ChecksStore = userStores.kindOf(userStore)
  const viewers = { username: null, password: null, disabled: null }
  const checkAll = () => storeChecks.checkStore((warn) => kind.open(userStore, warn), viewers, null)
  try {
    for await (const { state, code, text } of kind.check?.(userStore, viewers, storeChecks) ?? checkAll()) {
      if (state === 'failure') return failure(`store-${code}`, `USER_STORE_URL: ${text} See store check.`)
    }
    return null
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return failure('store-opens', `USER_STORE_URL: ${error.message}`)
  }
}
