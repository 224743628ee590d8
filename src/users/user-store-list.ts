import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import type { Settings } from '../settings/setting.ts'
import type { EditableStoreOptions, EditableUserStore } from './editable-user-store.ts'
import type { UserStore, Warn } from './user-store.ts'
import type { StoreSettings, UserStoreKind } from './user-store-kind.ts'

const URL_META = {
  isSecret: true,
  isAddress: true,
  protects: 'without it, viewers of another store may watch',
} as const

/**
 * Creates the list of user stores. The scheme of USER_STORE_URL chooses the store. Without it, the first store with a
 * default address is chosen.
 */
export function userStoreList(kinds: readonly UserStoreKind[]) {
  const defaultUrl = kinds.find((kind) => kind.defaultUrl !== undefined)?.defaultUrl
  const url = defaultUrl === undefined ? z.string() : z.string().default(defaultUrl)
  function kindOf(settings: StoreSettings): UserStoreKind {
    const chosen = kinds.find(({ kind }) => kind === settings.kind)
    if (!chosen) throw new ConfigError(`There is no user store of the kind ${settings.kind}.`)
    return chosen
  }
  /** Opens the chosen store to change its viewers. @throws ConfigError if this app cannot change them. */
  async function openEditable(settings: StoreSettings, options: EditableStoreOptions = {}): Promise<EditableUserStore> {
    const store = await kindOf(settings).openEditable?.(settings, options)
    if (store) return store
    throw new ConfigError(
      'This program cannot change the viewers in the store of USER_STORE_URL. Change them in the system they come from.',
    )
  }
  return {
    /** The schemas of USER_STORE_URL and of the settings of all stores, by name. */
    settings: { USER_STORE_URL: url.meta(URL_META), ...settingsOf(kinds) },
    /** Reads the settings of the chosen store from the environment. */
    environment: environmentOf(kinds, defaultUrl),
    /** Returns the file of the viewers for a value of USER_STORE_URL. Null if the viewers are in no file. */
    fileOf: (url = defaultUrl ?? ''): string | null => kinds.find((kind) => kind.isUrl(url))?.fileOf?.(url) ?? null,
    /** True if this app manages the viewers of the chosen store. */
    isOwn: (settings: StoreSettings): boolean => kindOf(settings).isOwn?.(settings) ?? false,
    /** Opens the chosen store. @param warn called for the operator, as with a hash that cannot be verified. */
    open: (settings: StoreSettings, warn: Warn = () => {}): Promise<UserStore> => kindOf(settings).open(settings, warn),
    kindOf,
    openEditable,
  }
}

function settingsOf(kinds: readonly UserStoreKind[]): Settings {
  return Object.assign({}, ...kinds.map(({ settings }) => settings))
}

function environmentOf(kinds: readonly UserStoreKind[], defaultUrl?: string): z.ZodType<StoreSettings> {
  return z.record(z.string(), z.string().optional()).transform((environment, context): StoreSettings => {
    const url = environment.USER_STORE_URL ?? defaultUrl
    const chosen = kinds.find((kind) => url !== undefined && kind.isUrl(url))
    const add = (setting: string, message: string) => {
      context.addIssue({ code: 'custom', path: [setting], message })
    }
    if (url === undefined || !chosen) {
      const forms = kinds.map(({ urlForm }) => urlForm).join(', ')
      // The message does not repeat the address, which may contain a password.
      add('USER_STORE_URL', `${url === undefined ? 'is required:' : 'must be'} one of ${forms}`)
      return z.NEVER
    }
    for (const name of Object.keys(settingsOf(kinds))) {
      if (environment[name] === undefined || name in chosen.settings) continue
      add(name, 'is a setting of another store than that of USER_STORE_URL: remove it')
    }
    const read = chosen.read(url, environment)
    if (read.ok) return read.settings
    for (const { setting, message } of read.mistakes) add(setting, message)
    return z.NEVER
  })
}
