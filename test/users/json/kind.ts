import type { UserStoreKind } from '../../../src/users/user-store-kind.ts'

export const jsonStore: UserStoreKind<{ kind: 'json'; file: string }> = {
  kind: 'json',
  urlForm: 'json:FILE',
  isUrl: (url) => url.startsWith('json:'),
  settings: {},
  read: (url) => ({ ok: true, settings: { kind: 'json', file: url.slice('json:'.length) } }),
  async open({ file }, warn) {
    const { openJsonStore } = await import('./store.ts')
    return openJsonStore(file, warn)
  },
}
