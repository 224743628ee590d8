import { defineFeature } from '../../login/feature.ts'
import { accountChanges } from '../../services/account-changes/service.ts'
import { signInWindow } from '../../services/window/service.ts'
import { capacityOfBegun } from '../../sign-in-limits/capacity.ts'
import { userStores } from '../../users/open-user-store.ts'
import { passkeyFields } from './fields.ts'

const NO_PASSKEYS = 'PASSKEYS needs viewers in a table of this app: the store of USER_STORE_URL keeps no passkeys'

/** Passkeys of viewers in the stores of this app: creation and sign-in, in a window of its own. */
export const passkeys = defineFeature({
  ...passkeyFields,
  needs: { accountChanges, signInWindow },
  outcomes: {
    'passkey-started': { level: 'info', counted: 'always' },
    'passkey-signed-in': { level: 'info' },
    'passkey-not-yet': { level: 'warn', counted: 'always' },
    'passkey-refused': { level: 'warn', counted: 'always' },
    'passkey-failed': { level: 'error', counted: 'always', isOfAll: true },
  },
  faultWith: (userStore) => (userStores.isOwn(userStore) ? null : NO_PASSKEYS),
  capacityOf: ({ addressLimit }) => capacityOfBegun('passkey', addressLimit),
  async open(app) {
    // Loaded late, because apps without passkeys do not need the library.
    const [{ openPasskeys }, { createPasskeys }] = await Promise.all([
      import('./passkeys.ts'),
      import('./create-passkeys.ts'),
    ])
    return createPasskeys(await openPasskeys(app), app)
  },
})
