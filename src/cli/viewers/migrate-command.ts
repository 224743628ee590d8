import type { Command } from 'commander'
import type { Migration } from '../../users/editable-user-store.ts'
import { addCommand, type CommandContext, runCommand } from '../command.ts'
import { migrateStore } from './editable-store.ts'

/** `viewers migrate`: the table of viewers, made by a role that may, so that the role of the app need not. */
export function addViewersMigrateCommand(group: Command, { io, setStatus }: CommandContext): void {
  addCommand(group, 'migrate', 'make the table of viewers in PostgreSQL, or bring it up to date after an update', [
    'viewer-auth viewers migrate',
    'USER_STORE_URL=postgres://owner@db.example/app POSTGRES_PASSWORD_FILE=owner.txt viewer-auth viewers migrate',
  ]).action(({ json }: { json?: boolean }) =>
    runCommand({ io, setStatus }, json, async () => {
      const migration = await migrateStore(io)
      return { ok: true, text: sentenceOf(migration), data: migration ?? {} }
    }),
  )
}

function sentenceOf(migration: Migration | null): string {
  if (migration === null) return 'A file of viewers is brought up to date whenever it is opened: nothing to do.'
  const { from, to } = migration
  if (from === to) return `The table of viewers is up to date (version ${to}).`
  return from === 0
    ? `Made the table of viewers (version ${to}).`
    : `Brought the table of viewers from version ${from} to ${to}.`
}
