import type { RowFault } from '../../../../files/list-columns.ts'
import type { EditableUserStore } from '../../../../users/editable-user-store.ts'
import { storedPasswords } from '../../../../users/passwords/stored-passwords.ts'
import { importViewers } from '../../../cli/import/import-viewers.ts'
import { faultInRowOf, needsInvitation } from '../../../cli/viewers/inviting.ts'
import type { Visit } from '../../door/route.ts'
import type { SectionDeps } from '../../section.ts'
import { invitationRules } from '../account-acts.ts'
import { endField } from '../end-field.ts'
import { dryStore } from './dry-store.ts'
import { inScope, openSheet, type SheetOptions } from './read-sheet.ts'

/** More mistakes are only counted: the reading of a sheet stays small. */
const MOST_FAULTS = 500

/** A sheet between its preview and the confirmation. */
export interface Sheet extends SheetOptions {
  readonly name: string
  readonly text: string
  readonly updates: boolean
}

/** The outcome of an import, also of one that changes nothing. */
export type ImportedSheet = Awaited<ReturnType<typeof importSheet>>

/** The progress of a work. A stopped work ends without the rest of its rows. */
export interface Progress {
  /** The share of the sheet that is done: 0 to 1. */
  share: number
  readonly isStopped: () => boolean
}

/** Reads a sheet, and says what its import would do. Changes nothing. */
export async function readSheet(store: EditableUserStore, sheet: Sheet, visit: Visit, deps: SectionDeps, at: Progress) {
  const dry = dryStore(store, endField(deps))
  return { ...(await importSheet(dry, store, sheet, visit, deps, at)), sample: dry.sample }
}

/**
 * Imports a sheet. @param target gets the viewers: the store, or one that only says what would happen.
 * @returns the counts, the first faults by row, the columns, and the names of viewers who get an invitation.
 */
export async function importSheet(
  target: Pick<EditableUserStore, 'importBatch' | 'show' | 'inspect'>,
  store: EditableUserStore,
  { text, dayFirst, invites, updates }: Sheet,
  visit: Visit,
  deps: SectionDeps,
  at: Progress,
) {
  const { scope, words } = visit
  const faults: { line: number; fault: RowFault }[] = []
  const invited: string[] = []
  const viewerOf = async (username: string) => {
    const known = await store.show(username)
    return known.ok ? known.viewer : null
  }
  const sheet = await openSheet(text, { dayFirst, invites, zone: words.zone, viewerFacts: deps.viewerFacts })
  const rules = invites ? await invitationRules(deps, visit) : null
  const isDry = target !== store
  const sizeBytes = Buffer.byteLength(text)
  const counts = await importViewers(
    inScope(sheet.rows, scope, viewerOf),
    { existing: updates ? 'update' : 'keep', acceptsWeakPasswords: false, contextWords: [] },
    {
      store: target,
      // The preview hashes no password.
      passwords: isDry
        ? { ...storedPasswords, hash: () => Promise.resolve(storedPasswords.dummyHash) }
        : storedPasswords,
      invitations: invites
        ? {
            faultIn: rules ? faultInRowOf(store, rules, updates) : () => null,
            async invite(username) {
              const known = await target.inspect(username)
              if (rules && known && needsInvitation(known)) invited.push(username)
              return false
            },
          }
        : null,
      hashingWidth: 1,
      onRefused: (line, fault) => void (faults.length < MOST_FAULTS && faults.push({ line, fault })),
      onProgress(bytesDone) {
        at.share = bytesDone / sizeBytes
      },
      isStopped: at.isStopped,
    },
  )
  faults.sort((one, other) => one.line - other.line)
  return { counts, faults, columns: sheet.columns, invited, rules }
}
