import type { Command } from 'commander'
import { readUserStore } from '../../../config.ts'
import { ConfigError } from '../../../errors.ts'
import { readNamedFile } from '../../../settings/named-file.ts'
import { userStores } from '../../../users/open-user-store.ts'
import type { MigratesTables, Migration } from '../../../users/postgres/migration.ts'
import type { StoreSettings, UserStoreKind } from '../../../users/user-store-kind.ts'
import { addCommand, type CommandContext, runCommand } from '../terminal/command.ts'
import type { CommandIo } from '../terminal/io.ts'

/**
 * Adds `viewers migrate`, which runs as the owner of the database. The role of the app needs no right to create tables.
 */
export function addViewersMigrateCommand(group: Command, context: CommandContext): void {
  addCommand(group, 'migrate', 'create the table of viewers in a database server, or update it to this version', [
    'viewer-auth viewers migrate',
    'USER_STORE_URL=postgres://owner@db.example/app POSTGRES_PASSWORD_FILE=owner.txt viewer-auth viewers migrate',
    'USER_STORE_URL_FILE=owner-url viewer-auth viewers migrate --app-url-file user-store-url',
  ])
    .option('--app-url-file <FILE>', "also create the app's role, whose USER_STORE_URL is in this file")
    .action(({ json, appUrlFile }: { json?: boolean; appUrlFile?: string }) =>
      runCommand(context, json, async () => {
        const { text, data } = await migrateStore(context.io.env, appUrlFile)
        const granted = appUrlFile === undefined ? '' : '\nThe role of the app has the rights that it needs.'
        return { ok: true, text: text + granted, data }
      }),
    )
}

function sentenceOf(migration: Migration | null): string {
  if (migration === null) return 'Nothing to do: the app updates a viewers file whenever it opens one.'
  const { from, to } = migration
  if (from === to) return `The table of viewers is up to date (version ${to}).`
  return from === 0
    ? `Created the table of viewers (version ${to}).`
    : `Updated the table of viewers from version ${from} to ${to}.`
}

/**
 * Creates or updates the table of viewers in the user store of the settings.
 * @param appUrlFile a file with the USER_STORE_URL of the login app, to create its role too.
 * @returns the versions, and a sentence with them.
 * @throws ConfigError that lists every wrong setting, or names the store that cannot be edited.
 */
export async function migrateStore(env: CommandIo['env'], appUrlFile?: string) {
  const app = appUrlFile === undefined ? null : readAppStore(appUrlFile)
  const migration = await migrate(readUserStore(env), app)
  return { text: sentenceOf(migration), data: migration ?? {} }
}

function readAppStore(file: string): StoreSettings {
  const read = readNamedFile(file)
  if ('fault' in read) throw new ConfigError(`--app-url-file ${read.fault}.`)
  const address = read.text.trim()
  if (address === '') throw new ConfigError('--app-url-file names an empty file.')
  try {
    return readUserStore({ USER_STORE_URL: address })
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause
    throw new ConfigError(`--app-url-file names a file with a wrong address. ${cause.message}`, { cause })
  }
}

/** As `MigratesTables.migrate`. Returns null for a store that is updated whenever it is opened. */
async function migrate(settings: StoreSettings, app: StoreSettings | null): Promise<Migration | null> {
  const kind: UserStoreKind & MigratesTables = userStores.kindOf(settings)
  if (app !== null && (app.kind !== kind.kind || !kind.migrate)) {
    throw new ConfigError('This store has no role for the app. Remove the address of the app.')
  }
  const migration = await kind.migrate?.(settings, app)
  if (migration) return migration
  await (await userStores.openEditable(settings)).close()
  return null
}
