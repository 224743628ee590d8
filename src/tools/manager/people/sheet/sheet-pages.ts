import { ConfigError } from '../../../../errors.ts'
import type { RowFault } from '../../../../files/list-columns.ts'
import type { EditableUserStore } from '../../../../users/editable-user-store.ts'
import { storedPasswords } from '../../../../users/passwords/stored-passwords.ts'
import { type ImportCounts, importViewers } from '../../../cli/import/import-viewers.ts'
import { faultInRowOf, needsInvitation } from '../../../cli/viewers/inviting.ts'
import {
  type Answer,
  detailOf,
  EDITORS,
  get,
  type Notice,
  page,
  post,
  type Route,
  redirect,
  type Visit,
} from '../../door/route.ts'
import type { Words } from '../../pages/words.ts'
import type { SectionDeps } from '../../section.ts'
import { invitationRules } from '../account-acts.ts'
import { endField } from '../end-field.ts'
import { dryStore } from './dry-store.ts'
import { inScope, openSheet, type SheetColumn, type SheetOptions } from './read-sheet.ts'
import { decodeSheet } from './sheet-text.ts'

const PATH = '/people/import'
const PREVIEW = `${PATH}/preview`
const MOST_FAULTS_SHOWN = 500

/** A sheet between its preview and the confirmation. */
interface Sheet extends SheetOptions {
  readonly name: string
  readonly text: string
  readonly updates: boolean
}

/** The import of a sheet: upload, preview with every mistake by its row, confirmation. */
export function sheetRoutes(deps: SectionDeps): Route[] {
  const pages = sheetPages(deps)
  return [
    get(PATH, EDITORS, (visit) => pages.show(visit)),
    { ...post(PATH, EDITORS, 'viewers-read', pages.upload), hasUpload: true },
    get(PREVIEW, EDITORS, pages.preview),
    post(`${PATH}/confirm`, EDITORS, 'viewers-imported', pages.confirm),
    post(`${PATH}/cancel`, EDITORS, 'import-cancelled', pages.cancel),
  ]
}

function sheetPages(deps: SectionDeps) {
  const kept = deps.kept.bySession<Sheet>()
  const { editable } = deps.viewers
  const ends = endField(deps)
  const gone = () => redirect(PATH, { tone: 'refused', text: 'sheet.gone' })
  function show({ words }: Visit, fault = '', status = 200): Answer {
    const title = words.t.sheet.title
    return page(editable === null ? 'people-elsewhere' : 'sheet', { title, current: '/people', fault }, status)
  }
  function upload(visit: Visit): Answer {
    const { field, upload: file, words, sessionId } = visit
    const content = file?.content ?? Buffer.from(field('cells'))
    if (content.length === 0) return show(visit, words.t.sheet.nothing, 400)
    const sheet = decodeSheet(content)
    if (!sheet.ok) return show(visit, words.say(`sheet.${sheet.fault}`), 400)
    const options = {
      dayFirst: field('dates') !== 'month',
      invites: field('invite') === 'on',
      updates: field('existing') === 'update',
    }
    kept.set(sessionId, { ...options, name: file?.name.slice(0, 100) ?? '', text: sheet.text })
    return redirect(PREVIEW)
  }
  async function preview(visit: Visit): Promise<Answer> {
    const sheet = kept.get(visit.sessionId)
    if (sheet === undefined || editable === null) return gone()
    try {
      const dry = dryStore(editable, ends)
      const { counts, faults, columns, invited, rules } = await importSheet(dry, editable, sheet, visit, deps)
      const shown = faults
        .slice(0, MOST_FAULTS_SHOWN)
        .map(({ line, fault }) => ({ line, ...mistakeOf(fault, visit.words) }))
      const mail = rules && mailColumnIn(columns, rules.addressAttribute)
      const model = {
        hasEnd: ends.isThere,
        sheet,
        counts,
        columns,
        mail,
        invitedCount: invited.length,
        sendsMails: !sheet.invites || rules !== null,
        sample: dry.sample,
        faults: shown,
        faultCount: faults.length,
      }
      return page('sheet-preview', { title: visit.words.t.sheet.previewTitle, current: '/people', ...model })
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return show(visit, detailOf(error.message) ?? visit.words.t.sheet.unreadable, 400)
    }
  }
  async function confirm(visit: Visit): Promise<Answer> {
    const sheet = kept.get(visit.sessionId)
    if (sheet === undefined || editable === null) return gone()
    kept.delete(visit.sessionId)
    const { counts, invited } = await importSheet(editable, editable, sheet, visit, deps)
    if (invited.length > 0) deps.invitations.add(invited, visit.manager.name)
    return redirect('/people', noticeOf(counts, invited.length), { count: counts.added + counts.updated })
  }
  function cancel({ sessionId }: Visit): Answer {
    kept.delete(sessionId)
    return redirect('/people')
  }
  return { show: (visit: Visit) => show(visit), upload, preview, confirm, cancel }
}

/** Returns the column with the mail address of invitations. */
function mailColumnIn(columns: readonly SheetColumn[], name: string) {
  const isMail = ({ title, meaning }: SheetColumn) =>
    name === 'username' ? meaning === 'username' : meaning === 'attribute' && title === name
  return { name, column: columns.find(isMail) ?? null }
}

/** Returns a sentence for each count, without zeros after the first. */
function noticeOf({ added, updated, refused }: ImportCounts, invited: number): Notice {
  const counts = { updatedCount: updated, refusedCount: refused, invitedCount: invited }
  const notes = Object.entries(counts).flatMap(([text, count]) =>
    count > 0 ? [{ text: `sheet.${text}`, values: { count } }] : [],
  )
  return { tone: 'done', text: 'sheet.addedCount', values: { count: added }, notes }
}

/**
 * Imports a sheet. @param target gets the viewers: the store, or one that only says what would happen.
 * @returns the counts, the faults by row, the columns, and the names of viewers who get an invitation.
 */
async function importSheet(
  target: Pick<EditableUserStore, 'importBatch' | 'show' | 'inspect'>,
  store: EditableUserStore,
  { text, dayFirst, invites, updates }: Sheet,
  { scope, words: { zone } }: Visit,
  deps: SectionDeps,
) {
  const faults: { line: number; fault: RowFault }[] = []
  const invited: string[] = []
  const viewerOf = async (username: string) => {
    const known = await store.show(username)
    return known.ok ? known.viewer : null
  }
  const sheet = await openSheet(text, { dayFirst, invites, zone, viewerFacts: deps.viewerFacts })
  const rules = invites ? await invitationRules(deps) : null
  const isDry = target !== store
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
      onRefused: (line, fault) => void faults.push({ line, fault }),
      onProgress: () => {},
      isStopped: () => false,
    },
  )
  faults.sort((one, other) => one.line - other.line)
  return { counts, faults, columns: sheet.columns, invited, rules }
}

/** Returns a mistake in the language of the page, or in English if it has no text there. */
function mistakeOf({ code, values, text }: RowFault, { has, say, language }: Words) {
  const path = `sheet.faults.${code}`
  return has(path) ? { fault: say(path, values), language } : { fault: text, language: 'en' }
}
