import type { ChecksStore } from '../store-check/store-check.ts'
import type { UserStoreKind } from '../user-store-kind.ts'
import { checkSqliteStore } from './store-check/check.ts'

interface SqliteSettings {
  readonly kind: 'sqlite'
  readonly file: string
}

const URL_FORM = /^sqlite:(?!\/\/|:)(.+)$/
const fileOf = (url: string) => URL_FORM.exec(url)?.[1] ?? ''

/** Viewers in a SQLite file of this app. */
export const sqliteStore: UserStoreKind<SqliteSettings> & ChecksStore<SqliteSettings> = {
  kind: 'sqlite',
  urlForm: 'sqlite:FILE',
  defaultUrl: 'sqlite:data/viewers.db',
  isUrl: (url) => URL_FORM.test(url),
  fileOf,
  settings: {},
  read: (url) => ({ ok: true, settings: { kind: 'sqlite', file: fileOf(url) } }),
  isOwn: () => true,
  faultInLookup: () => null,
  async open({ file }, warn) {
    const { openSqliteStore } = await import('./store.ts')
    return openSqliteStore(file, { warn })
  },
  check: checkSqliteStore,
  async openEditable({ file }, options) {
    const { openEditableSqliteStore } = await import('./editable-store.ts')
    return openEditableSqliteStore(file, options)
  },
}
