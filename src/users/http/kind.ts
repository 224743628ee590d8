import type { ChecksStore } from '../store-check/store-check.ts'
import type { UserStoreKind } from '../user-store-kind.ts'
import { HttpStoreEnvironment, type HttpStoreSettings, isHttpStoreUrl, readHttpStoreSettings } from './settings.ts'
import { checkHttpStoreLate } from './store-check/late-check.ts'

/** Viewers of the customer's own login service. */
export const httpStore: UserStoreKind<HttpStoreSettings> & ChecksStore<HttpStoreSettings> = {
  kind: 'http',
  urlForm: 'https://HOST/PATH',
  isUrl: isHttpStoreUrl,
  settings: HttpStoreEnvironment.shape,
  read: readHttpStoreSettings,
  faultInLookup: ({ findUrl }) => (findUrl === null ? 'needs HTTP_STORE_FIND_URL' : null),
  async open(settings, warn) {
    const { openHttpStore } = await import('./store.ts')
    return openHttpStore(settings, { warn })
  },
  check: checkHttpStoreLate,
}
