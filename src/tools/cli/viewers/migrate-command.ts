import type { Command } from 'commander'
import type { Migration } from '../../../users/editable-user-store.ts'
import { addCommand, type CommandContext, runCommand } from '../command.ts'
import { migrateStore } from '../settings/editable-store.ts'

/**
 * Adds `viewers migrate`, which runs as the owner of the database. The role of the app needs no right to create tables.
 */
export function addViewersMigrateCommand(group: Command, { io, setStatus }: CommandContext): void {
  addCommand(group, 'migrate', 'create the table of viewers in a database server, or update it to this version', [
    'viewer-auth viewers migrate',
    'USER_STORE_URL=postgres://owner@db.example/app POSTGRES_PASSWORD_FILE=owner.txt viewer-auth viewers migrate',
    'USER_STORE_URL_FILE=owner-url viewer-auth viewers migrate --app-url-file user-store-url',
  ])
    .option('--app-url-file <FILE>', "also create the app's role, whose USER_STORE_URL is in this file")
    .action(({ json, appUrlFile }: { json?: boolean; appUrlFile?: string }) =>
      runCommand({ io, setStatus }, json, async () => {
        const migration = await migrateStore(io, appUrlFile)
        const granted = appUrlFile === undefined ? '' : '\nThe role of the app has the rights that it needs.'
        return { ok: true, text: sentenceOf(migration) + granted, data: migration ?? {} }
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
