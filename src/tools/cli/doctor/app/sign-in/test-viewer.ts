import { existsSync } from 'node:fs'
import type { Config } from '../../../../../config.ts'
import { ConfigError, OverloadedError, UpstreamError } from '../../../../../errors.ts'
import { userStores } from '../../../../../users/open-user-store.ts'
import type { UserStore, Viewer } from '../../../../../users/user-store.ts'
import { viewersFile } from '../../../settings/viewers-file.ts'
import type { CommandIo } from '../../../terminal/io.ts'

/** The viewer who tries the sign-in. */
export interface TestViewer {
  readonly username: string
  readonly password: string
}

/** Reads the test viewer from the user store, to explain a refusal: no screen tells groups, attributes or unknown names. */
export interface StoredViewer {
  /** Null if the store cannot be read from this machine, or does not accept the password. */
  read(): Promise<Viewer | null>
  /** True if the store is readable and has no viewer with this name who may sign in. Tries no password. */
  isUnknown(): Promise<boolean>
}

/** Returns how the user store of the settings knows the test viewer. */
export function storedViewer(
  { env }: Pick<CommandIo, 'env'>,
  { userStore }: Pick<Config, 'userStore'>,
  { username, password }: TestViewer,
): StoredViewer {
  async function withStore<T>(work: (users: UserStore) => Promise<T>): Promise<T | null> {
    const file = viewersFile(env)
    // Opening the store would create the file.
    if (file !== null && !existsSync(file)) return null
    try {
      const users = await userStores.open(userStore, () => {})
      return await work(users).finally(() => users.close())
    } catch (error) {
      const isExpected = [ConfigError, OverloadedError, UpstreamError].some((kind) => error instanceof kind)
      if (!isExpected) throw error
      return null
    }
  }
  return {
    read: () =>
      withStore(async (users) => {
        const authentication = await users.authenticate(username, password)
        return authentication.ok ? authentication.viewer : null
      }),
    isUnknown: async () =>
      (await withStore(async ({ find }) => find !== undefined && (await find(username)) === null)) ?? false,
  }
}
