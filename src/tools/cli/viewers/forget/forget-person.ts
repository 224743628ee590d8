import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { readSharedStores, readUserStore } from '../../../../config.ts'
import { rewriteSqlite } from '../../../../server/sqlite-file.ts'
import type { EditableUserStore } from '../../../../users/editable-user-store.ts'
import { userStores } from '../../../../users/open-user-store.ts'
import { viewersFile } from '../../settings/editable-store.ts'
import { addCommand, type CommandContext, messageOf, type Outcome, runCommand } from '../../terminal/command.ts'
import { confirmRemoval } from '../../terminal/confirm.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { counted, printable } from '../../terminal/text.ts'
import { linesOfLogs } from '../person/person-export.ts'
import { endSessionsOf } from '../sessions-command.ts'
import { unlockSignIns } from '../unlock-command.ts'
import { type HasViewerFacts, type PersonRecords, type ViewerFacts, viewerFactsOf } from '../viewer-facts.ts'

type Env = CommandIo['env']
type Sees = Parameters<PersonRecords['forget']>[2]

const FILE_TIMEOUT_MS = 15_000
const ELSEWHERE = 'The account is in the system of USER_STORE_URL: remove it there.'
const KEPT =
  'Mails under way are sent, or gone within 3 days. Counts of requests and places of screens stay until they end, 14 days ' +
  'at most, under a digest of the name. Backups, exported files and lists of guests keep what they have.'

/** Follows what a removal leaves. */
export const FORGET_HINT = 'To delete them too, run viewers forget.'

/** Adds `viewers forget`. */
export function addViewersForgetCommand(group: Command, context: CommandContext<HasViewerFacts>): void {
  const { io } = context
  const summary = 'delete all that the stores have of a person, also of a guest; this cannot be undone'
  addCommand(group, 'forget <USERNAME>', summary, ['viewer-auth viewers forget ada@example.com'])
    .option('--yes', 'do not ask')
    .action((username: string, { json, yes }: { json?: boolean; yes?: boolean }) =>
      runCommand(context, json, async (): Promise<Outcome> => {
        const confirmation = await confirmRemoval(io, yes, `Forget ${printable(username)}? This cannot be undone.`)
        if (!confirmation.ok) return confirmation
        const features = await viewerFactsOf(context)
        const store = await editableStore(io.env)
        const forgotten = await forgetPerson(io.env, features, username, { store }).finally(() => store?.close())
        const faults = Object.entries(forgotten.faults).map(([part, fault]) => `${part}: ${fault}`)
        const parts = Object.entries(forgotten.deleted).flatMap(([part, count]) =>
          count > 0 ? `${part} ${count}` : [],
        )
        const first = `Forgot ${printable(username)}. Deleted: ${parts.join(', ') || 'nothing was found'}.`
        const text = [first, ...faults, ...forgotten.left].join('\n')
        return { ok: true, text, data: { username, ...forgotten }, isPartial: faults.length > 0 }
      }),
    )
}

/**
 * Deletes all that the stores have of a person: records of features, sessions, counts and account. A store that fails does
 * not stop the others.
 * @param store null if the account is in another system.
 * @param isOneOfMany true if the caller rewrites the files, and finds the person by the account: it stays after a fault.
 * @param sees false for the name of an entry point whose records stay.
 * @returns the numbers of deleted records and the faults, by part, and sentences about what stays.
 */
export async function forgetPerson(
  env: Env,
  features: readonly ViewerFacts[],
  username: string,
  {
    store,
    isOneOfMany = false,
    sees = () => true,
  }: { store: EditableUserStore | null; isOneOfMany?: boolean; sees?: Sees },
) {
  const deleted: Record<string, number> = {}
  const faults: Record<string, string> = {}
  const left = store === null ? [ELSEWHERE] : []
  const parts: readonly Pick<PersonRecords, 'field' | 'forget'>[] = [
    ...features.flatMap(({ records = [] }) => records),
    { field: 'sessions', forget: async () => (await endSessionsOf(readSharedStores(env), username, true)).ended },
    { field: 'failedSignIns', forget: async () => Number((await unlockSignIns(env, { username })).viewer) },
    { field: 'account', forget: async () => Number((await store?.remove(username))?.ok ?? 0) },
    { field: 'files', forget: async () => rewriteFiles(env, features) },
  ]
  for (const { field, forget } of parts) {
    if (isOneOfMany && (field === 'files' || Object.keys(faults).length > 0)) continue
    try {
      deleted[field] = await forget(env, username, sees)
    } catch (error) {
      faults[field] = messageOf(error)
    }
  }
  const { lines, faults: unread } = isOneOfMany ? { lines: [], faults: [] } : await linesOfLogs(env, username)
  for (const [file, own = []] of Object.entries(Object.groupBy(lines, (line) => line.file))) {
    left.push(`${file} has ${counted(own.length, 'line')} about this person.`)
  }
  return { deleted, faults, left: [...left, ...unread, KEPT] }
}

/** Rewrites the SQLite files of this machine that have names of people. */
export function rewriteFiles(env: Env, features: readonly ViewerFacts[]): number {
  const { sessionStore } = readSharedStores(env)
  const sessions = 'file' in sessionStore ? [String(sessionStore.file)] : []
  const files = [viewersFile(env) ?? '', ...sessions, ...features.flatMap((one) => one.files?.(env) ?? [])]
  for (const file of files.filter(existsSync)) rewriteSqlite(file, FILE_TIMEOUT_MS)
  return 0
}

/** Opens the user store. Null if its accounts are of another system. */
async function editableStore(env: Env): Promise<EditableUserStore | null> {
  const settings = readUserStore(env)
  return userStores.isOwn(settings) ? await userStores.openEditable(settings) : null
}
