import { existsSync } from 'node:fs'
import type { Config } from '../../../../../config.ts'
import type { EntryPoint } from '../../../../../entry-points/entry-point.ts'
import { ConfigError, OverloadedError, UpstreamError } from '../../../../../errors.ts'
import { userStores } from '../../../../../users/open-user-store.ts'
import type { UserStore, Viewer } from '../../../../../users/user-store.ts'
import { viewersFile } from '../../../settings/editable-store.ts'
import type { CommandIo } from '../../../terminal/io.ts'
import type { Button, Causes, SignInTrial } from '../../feature-check.ts'
import { type Finding, warning } from '../../finding.ts'

/** The viewer who tries the sign-in. */
export interface TestViewer {
  /** Null if the viewer signs in with another form. */
  readonly account: { readonly username: string; readonly password: string } | null
  /** Why the viewer cannot sign in at an entry point. Null if the form is there. */
  unusedAt(entryPoint: EntryPoint): Finding | null
  form(entryPoint: EntryPoint): Button
  /** Causes of refusals that only this form has. */
  readonly causes: Causes
}

/** Returns the test viewer with a password. */
export function passwordViewer(username: string, password: string): TestViewer {
  return {
    account: { username, password },
    unusedAt: ({ hasPasswordForm }) =>
      hasPasswordForm
        ? null
        : warning('viewer-not-used', 'This entry point accepts no passwords, so --viewer has no effect.'),
    form: () => ({ path: '/sign-in', fields: { username, password } }),
    causes: {},
  }
}

/** Returns the test viewer with another form. @param typed what the form takes, such as a code. */
export function trialViewer(trial: SignInTrial, typed: string): TestViewer {
  return {
    account: null,
    unusedAt: (entryPoint) => (trial.isAt(entryPoint) ? null : warning(`${trial.name}-not-used`, trial.none)),
    form: (entryPoint) => trial.form(typed, entryPoint),
    causes: trial.causes,
  }
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
  { account }: Pick<TestViewer, 'account'>,
): StoredViewer {
  if (account === null) return { read: () => Promise.resolve(null), isUnknown: () => Promise.resolve(false) }
  const { username, password } = account
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
