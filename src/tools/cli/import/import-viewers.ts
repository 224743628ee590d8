import { setImmediate } from 'node:timers/promises'
import { type RowFault, rowFault } from '../../../files/list-columns.ts'
import { createQueue, type WorkQueue } from '../../../server/work-queue.ts'
import { trimTyped } from '../../../typed-text.ts'
import type { EditableUserStore } from '../../../users/editable-user-store.ts'
import type { ImportedViewer } from '../../../users/import-batch/import-rules.ts'
import { noPasswordHash, type PasswordHashing } from '../../../users/passwords/argon2.ts'
import { findPasswordFault } from '../../../users/passwords/new-password.ts'
import type { Viewer } from '../../../users/user-store.ts'
import { faultInGroup, faultInUsername, faultInViewer, usernameKey } from '../../../users/viewer-fields.ts'
import type { FileRow, ViewerRow } from './viewer-file.ts'

export interface ImportOptions {
  /** The treatment of existing viewers. */
  readonly existing: 'update' | 'keep'
  /** Accepts passwords that the rules for new passwords refuse, such as short ones. */
  readonly acceptsWeakPasswords: boolean
  /** Words that a new password may not consist of, besides the user name. */
  readonly contextWords: readonly string[]
}

export interface Invitations {
  /** Returns why a viewer cannot be invited, as the end of a sentence that begins with the line; null otherwise. */
  faultIn(viewer: Viewer): Promise<string | null> | string | null
  /**
   * Invites a stored viewer, unless the viewer has a password or an invitation already.
   * @returns true if an invitation was sent; a text says why not, as the end of a sentence that begins with the line.
   * @throws UpstreamError when the invitations cannot be sent.
   */
  invite(username: string): Promise<boolean | string>
}

export interface ImportDeps {
  /** Null to check the rows only. */
  readonly store: Pick<EditableUserStore, 'importBatch' | 'show'> | null
  readonly passwords: Pick<PasswordHashing, 'hash' | 'read'>
  /** Invites viewers without a password. Null refuses new viewers without one. */
  readonly invitations: Invitations | null
  /** The number of passwords hashed in parallel. */
  readonly hashingWidth: number
  /** Called for each refused row. */
  readonly onRefused: (line: number, fault: RowFault) => void
  /** Called after each batch, with the bytes of the file up to its end. */
  readonly onProgress: (bytesDone: number, counts: ImportCounts) => void
  /** Called after each batch. True ends the import. */
  readonly isStopped: () => boolean
}

export type ImportCounts = Readonly<typeof NO_COUNTS>

/** `good`: rows without a fault. `plaintextPasswords`: rows with one. */
const NO_COUNTS = { good: 0, added: 0, updated: 0, unchanged: 0, refused: 0, invited: 0, plaintextPasswords: 0 }
const NOT_ADDED = rowFault('notAdded', 'has no password, and there is no such viewer yet')
const HIDDEN_EDGE = rowFault(
  'password.edge',
  'has a password that begins or ends with a blank or another character that spreadsheets and letters do not show',
)
const BATCH_ROWS = 250
/** A hash takes one core 10 to 25 ms. A killed import loses the hashes of its last batch. */
const BATCH_PASSWORDS = 64
/** Few, so that a stop does not wait for many mails. */
const BATCH_INVITATIONS = 16
/** As many as the connections for mails. */
const PARALLEL_INVITATIONS = 2

/**
 * Imports viewers, one transaction a batch. After a stop, the same import continues: it skips existing viewers before
 * it hashes their passwords, and adds no viewer twice.
 * @throws UpstreamError when the store fails. Earlier batches stay imported.
 */
export async function importViewers(
  rows: AsyncIterable<readonly FileRow[]>,
  options: ImportOptions,
  deps: ImportDeps,
): Promise<ImportCounts> {
  const counts = { ...NO_COUNTS }
  const refuse: Refuse = (line, fault) => {
    counts.refused += 1
    deps.onRefused(line, fault)
  }
  const seen = new Set<string>()
  const hashPasswords = passwordHasher(options, deps)
  for await (const batch of batches(rows, deps.invitations === null ? BATCH_ROWS : BATCH_INVITATIONS)) {
    const sound: SoundRow[] = []
    for (const fileRow of batch) {
      const fault = fileRow.ok ? await faultInRow(fileRow.row, seen, options, deps) : fileRow.fault
      if (fault !== null) refuse(fileRow.line, fault)
      else if (fileRow.ok) sound.push(fileRow)
    }
    const candidates = await hashPasswords(sound, refuse)
    counts.good += candidates.length
    counts.plaintextPasswords += sound.filter(hasPassword).length
    const outcomes = (await deps.store?.importBatch(candidates, options.existing)) ?? []
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome !== 'no-password') counts[outcome] += 1
      else refuse(candidates[index]?.line ?? 0, NOT_ADDED)
    }
    if (deps.invitations !== null) counts.invited += await inviteAll(deps.invitations, sound, refuse)
    deps.onProgress(batch.at(-1)?.endByte ?? 0, counts)
    // Lets the progress bar and Ctrl-C be handled.
    await setImmediate()
    if (deps.isStopped()) break
  }
  return counts
}

type Refuse = ImportDeps['onRefused']
type SoundRow = Extract<FileRow, { ok: true }>
type Candidate = ImportedViewer & { readonly line: number }

async function faultInRow(
  row: ViewerRow,
  seen: Set<string>,
  { existing }: ImportOptions,
  { passwords, invitations }: Pick<ImportDeps, 'passwords' | 'invitations'>,
): Promise<RowFault | null> {
  const { username, password, passwordHash, groups = [] } = row
  if (username === '') return rowFault('noName', 'has no user name')
  const attributes = Object.fromEntries(Object.entries(row.attributes).map(([name, value]) => [name, value ?? '']))
  const inViewer = faultInViewer({ username, groups, attributes })
  if (inViewer !== null) return rowFault(partWithFault({ username, groups }), cannotBeImported(inViewer))
  if (password !== undefined && passwordHash !== undefined) {
    return rowFault('twoPasswords', 'has both a password and a password hash')
  }
  if (password === undefined && passwordHash === undefined) {
    if (invitations === null && existing === 'keep') {
      return rowFault('noPassword', 'has neither a password nor a password hash')
    }
    const inInvitation = (await invitations?.faultIn({ username, groups, attributes })) ?? null
    if (inInvitation !== null) return rowFault('notInvited', inInvitation)
  }
  const hash = passwordHash === undefined ? null : passwords.read(passwordHash)
  if (hash?.ok === false) return rowFault('badHash', `has a password hash that ${hash.fault}`)
  if (seen.has(usernameKey(username))) return rowFault('repeated', 'repeats the user name of an earlier line')
  seen.add(usernameKey(username))
  return null
}

/** Turns rows into viewers to import, and hashes plaintext passwords. */
function passwordHasher(options: ImportOptions, deps: ImportDeps) {
  const queue = createQueue({ width: deps.hashingWidth, queueLength: BATCH_PASSWORDS })
  return async function hashPasswords(rows: readonly SoundRow[], refuse: Refuse): Promise<Candidate[]> {
    const hashes = new Map<SoundRow, Hashed>()
    await Promise.all(
      rows.filter(hasPassword).map(async (row) => hashes.set(row, await hashWhenNew(row, options, deps, queue))),
    )
    const candidates: Candidate[] = []
    // A viewer who is invited has a hash that no password fits.
    const noPassword = deps.invitations === null ? null : noPasswordHash()
    for (const fileRow of rows) {
      const { line, row } = fileRow
      const hashed = hashes.get(fileRow) ?? { ok: true, passwordHash: row.passwordHash ?? noPassword }
      const { username, groups, disabled, attributes } = row
      if (!hashed.ok) refuse(line, hashed.fault)
      else candidates.push({ line, username, passwordHash: hashed.passwordHash, groups, disabled, attributes })
    }
    return candidates
  }
}

type Hashed =
  | { readonly ok: true; readonly passwordHash: string | null }
  | { readonly ok: false; readonly fault: RowFault }

async function hashWhenNew(
  { row: { username, password = '' } }: SoundRow,
  { acceptsWeakPasswords, contextWords }: ImportOptions,
  { store, passwords }: ImportDeps,
  queue: WorkQueue,
): Promise<Hashed> {
  if ((await store?.show(username))?.ok) return { ok: true, passwordHash: null }
  if (trimTyped(password) !== password && !acceptsWeakPasswords) return { ok: false, fault: HIDDEN_EDGE }
  const fault = await findPasswordFault(password, username, contextWords)
  const canBeTyped = password.isWellFormed() && !/[\0\r\n]/.test(password)
  if (fault !== null && !(acceptsWeakPasswords && canBeTyped)) {
    return { ok: false, fault: rowFault(`password.${fault.reason}`, cannotBeImported(fault.sentence)) }
  }
  return { ok: true, passwordHash: store ? await queue.run(() => passwords.hash(password)) : null }
}

/** Returns the code of the part of a viewer that has a fault. */
export function partWithFault({ username, groups }: Pick<Viewer, 'username' | 'groups'>): string {
  if (faultInUsername(username) !== null) return 'badName'
  return groups.some((group) => faultInGroup(group) !== null) ? 'badGroup' : 'badAttribute'
}

function cannotBeImported(sentence: string): string {
  return `cannot be imported: ${sentence.replace(/\.$/, '')}`
}

/**
 * Invites the viewers of a batch whose rows have no password. Returns the number of invitations that were sent. After a
 * failure, waits for the invitations that are on their way, so that the store notes them.
 */
async function inviteAll(invitations: Invitations, rows: readonly SoundRow[], refuse: Refuse): Promise<number> {
  const queue = createQueue({ width: PARALLEL_INVITATIONS, queueLength: rows.length })
  const withoutPassword = rows.filter(({ row }) => row.password === undefined && row.passwordHash === undefined)
  const failures: unknown[] = []
  let invited = 0
  async function invite({ line, row }: SoundRow): Promise<void> {
    if (failures.length > 0) return
    const result = await invitations.invite(row.username)
    if (typeof result === 'string') refuse(line, rowFault('notInvited', result))
    else if (result) invited += 1
  }
  await Promise.all(
    withoutPassword.map((row) => queue.run(() => invite(row).catch((error: unknown) => failures.push(error)))),
  )
  if (failures.length > 0) throw failures[0]
  return invited
}

async function* batches(rows: AsyncIterable<readonly FileRow[]>, mostRows: number): AsyncGenerator<FileRow[]> {
  let batch: FileRow[] = []
  let passwords = 0
  for await (const some of rows) {
    for (const row of some) {
      batch.push(row)
      if (hasPassword(row)) passwords += 1
      if (batch.length < mostRows && passwords < BATCH_PASSWORDS) continue
      yield batch
      batch = []
      passwords = 0
    }
  }
  if (batch.length > 0) yield batch
}

function hasPassword(row: FileRow): boolean {
  return row.ok && row.row.password !== undefined
}
