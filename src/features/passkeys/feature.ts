import type { Feature } from '../../login/feature.ts'
import { userStores } from '../../users/open-user-store.ts'
import { passkeyFields } from './fields.ts'
import { PASSKEY_PROMPTS } from './screen-part.ts'

const NO_PASSKEYS = 'PASSKEYS needs viewers in a table of this app: the store of USER_STORE_URL keeps no passkeys'

/** Passkeys of viewers in the stores of this app: creation and sign-in, in a window of its own. */
export const passkeys: Feature<ReturnType<typeof passkeyFields.settings>, object> = {
  ...passkeyFields,
  prompts: PASSKEY_PROMPTS,
  outcomes: {
    'passkey-started': { level: 'info', counted: 'always' },
    'passkey-signed-in': { level: 'info' },
    'passkey-not-yet': { level: 'warn', counted: 'always' },
    'passkey-refused': { level: 'warn', counted: 'always' },
    'passkey-failed': { level: 'error', counted: 'always', isOfAll: true },
  },
  faultWith: (userStore) => (userStores.isOwn(userStore) ? null : NO_PASSKEYS),
  async open(services) {
    // Loaded late, because apps without passkeys do not need the library.
    const [{ openPasskeys }, { createPasskeys }] = await Promise.all([
      import('./passkeys.ts'),
      import('./create-passkeys.ts'),
    ])
    return createPasskeys(await openPasskeys(services), services)
  },
}
