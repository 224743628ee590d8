import { existsSync } from 'node:fs'
import type { Config } from '../../../../config.ts'
import { ConfigError, OverloadedError, UpstreamError } from '../../../../errors.ts'
import { userStores } from '../../../../users/open-user-store.ts'
import type { Viewer } from '../../../../users/user-store.ts'
import { viewersFile } from '../../settings/viewers-file.ts'
import type { CommandIo } from '../../terminal/io.ts'

/** The viewer who tries the sign-in. */
export interface TestViewer {
  readonly username: string
  readonly password: string
}

/**
 * Reads the test viewer from the user store of the settings, to explain a refusal: no screen tells groups or attributes.
 * @returns null if the store cannot be reached from this machine, or does not accept the password.
 */
export async function readTestViewer(
  { env }: Pick<CommandIo, 'env'>,
  { userStore }: Pick<Config, 'userStore'>,
  { username, password }: TestViewer,
): Promise<Viewer | null> {
  const file = viewersFile(env)
  // Opening the store would create the file.
  if (file !== null && !existsSync(file)) return null
  try {
    const users = await userStores.open(userStore, () => {})
    const authentication = await users.authenticate(username, password).finally(() => users.close())
    return authentication.ok ? authentication.viewer : null
  } catch (error) {
    const isExpected = [ConfigError, OverloadedError, UpstreamError].some((kind) => error instanceof kind)
    if (!isExpected) throw error
    return null
  }
}
