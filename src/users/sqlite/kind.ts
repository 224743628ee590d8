import { existsSync } from 'node:fs'
import type { UserStoreKind } from '../user-store-kind.ts'

interface SqliteSettings {
  readonly kind: 'sqlite'
  readonly file: string
}

const URL_FORM = /^sqlite:(?!\/\/|:)(.+)$/

/** Viewers in a SQLite file of this app. */
export const sqliteStore: UserStoreKind<SqliteSettings> = {
  kind: 'sqlite',
  urlForm: 'sqlite:FILE',
  isUrl: (url) => URL_FORM.test(url),
  settings: {},
  read: (url) => ({ ok: true, settings: { kind: 'sqlite', file: URL_FORM.exec(url)?.[1] ?? '' } }),
  isOwn: () => true,
  async open({ file }, warn) {
    const { openSqliteStore } = await import('./store.ts')
    return openSqliteStore(file, { warn })
  },
  async *check({ file }, viewers, { checkStore }) {
    // Opening the file would create it.
    if (!existsSync(file)) {
      const text = `There is no file ${file}. Check USER_STORE_URL; viewers add creates the file.`
      yield { state: 'failure', code: 'opens', text }
      return
    }
    const { openSqliteStore } = await import('./store.ts')
    yield* checkStore((warn) => Promise.resolve(openSqliteStore(file, { warn })), viewers, null)
  },
  async openEditable({ file }, options) {
    const { openEditableSqliteStore } = await import('./editable-store.ts')
    return openEditableSqliteStore(file, options)
  },
}
