import { ConfigError } from '../../../../errors.ts'
import type { RowFault } from '../../../../files/list-columns.ts'
import type { EditableUserStore } from '../../../../users/editable-user-store.ts'
import type { ImportCounts } from '../../../cli/import/import-viewers.ts'
import {
  type Answer,
  EDITORS,
  get,
  type Notice,
  page,
  post,
  type Route,
  redirect,
  sentenceOf,
  type Visit,
} from '../../door/route.ts'
import type { Words } from '../../pages/words.ts'
import type { SectionDeps } from '../../section.ts'
import { endField } from '../end-field.ts'
import { type ImportedSheet, importSheet, readSheet, type Sheet } from './import-sheet.ts'
import type { SheetColumn } from './read-sheet.ts'
import { decodeSheet } from './sheet-text.ts'
import { resultSoon, startWork, type Work } from './sheet-work.ts'

const PATH = '/people/import'
const PREVIEW = `${PATH}/preview`
const RELOAD_SECONDS = 2

/** A sheet that waits for its confirmation, with what it would do, and the import after it. */
interface KeptSheet extends Sheet {
  reading?: Work<Awaited<ReturnType<typeof readSheet>>>
  importing?: Work<ImportedSheet>
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
  const kept = deps.kept.bySession<KeptSheet>()
  const { editable } = deps.viewers
  const program = new AbortController()
  deps.onClose(() => program.abort())
  const gone = () => redirect(PATH, { tone: 'refused', text: 'sheet.gone' })
  function show({ words, sessionId }: Visit, fault = '', status = 200): Answer {
    const sheet = kept.get(sessionId) ?? null
    const model = { title: words.t.sheet.title, current: '/people', fault, sheet }
    return page(editable === null ? 'people-elsewhere' : 'sheet', model, status)
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
  /** Returns the reading of a sheet, which is read once. It stops when no page asks for it any more. */
  function readingOf(sheet: KeptSheet, store: EditableUserStore, visit: Visit) {
    const { nowSeconds } = deps
    const isStopped = () => program.signal.aborted || !visit.isSignedIn() || kept.get(visit.sessionId) !== sheet
    const known = sheet.reading
    const reading =
      known && (known.at.isDone || !known.at.isStopped())
        ? known
        : startWork((at) => readSheet(store, sheet, visit, deps, at), isStopped, nowSeconds)
    reading.askedAtSeconds = nowSeconds()
    sheet.reading = reading
    return reading
  }
  async function preview(visit: Visit): Promise<Answer> {
    const sheet = kept.get(visit.sessionId)
    if (sheet === undefined || editable === null) return gone()
    if (sheet.importing !== undefined) return await imported(sheet, sheet.importing, visit)
    const reading = readingOf(sheet, editable, visit)
    try {
      const result = await resultSoon(reading)
      return result === null || !reading.at.isDone
        ? progressOf(reading, visit, 'reading')
        : previewOf(sheet, result, deps, visit)
    } catch (error) {
      delete sheet.reading
      if (!(error instanceof ConfigError)) throw error
      const { text, values } = sentenceOf(error.coded)
      return show(visit, error.coded.code ? visit.words.say(text, values) : visit.words.t.sheet.unreadable, 400)
    }
  }
  function confirm(visit: Visit): Answer | Promise<Answer> {
    const sheet = kept.get(visit.sessionId)
    if (sheet === undefined || editable === null) return gone()
    sheet.importing ??= startWork(
      async (at) => {
        const done = await importSheet(editable, editable, sheet, visit, deps, at)
        if (done.invited.length > 0) done.rules?.queue(done.invited)
        return done
      },
      () => program.signal.aborted,
    )
    return imported(sheet, sheet.importing, visit)
  }
  /** Says what was imported, or how far the import is. */
  async function imported(sheet: KeptSheet, work: Work<ImportedSheet>, visit: Visit): Promise<Answer> {
    try {
      const done = await resultSoon(work)
      if (done === null) return progressOf(work, visit, 'importing')
      kept.delete(visit.sessionId)
      const { counts, invited } = done
      return redirect('/people', noticeOf(counts, invited.length), { count: counts.added + counts.updated })
    } catch (error) {
      delete sheet.importing
      throw error
    }
  }
  function cancel({ sessionId }: Visit): Answer {
    kept.delete(sessionId)
    return redirect('/people')
  }
  return { show: (visit: Visit) => show(visit), upload, preview, confirm, cancel }
}

/** Says how far a work is. The browser looks again by itself. */
function progressOf({ at }: Work<unknown>, { words }: Visit, step: 'reading' | 'importing'): Answer {
  const model = { title: words.t.sheet[`${step}Title`], current: '/people', step, percent: Math.floor(at.share * 100) }
  return { kind: 'page', view: 'sheet-work', model, reload: { to: PREVIEW, seconds: RELOAD_SECONDS } }
}

function previewOf(
  sheet: KeptSheet,
  { counts, faults, columns, invited, rules, sample }: Awaited<ReturnType<typeof readSheet>>,
  deps: SectionDeps,
  { words }: Visit,
): Answer {
  return page('sheet-preview', {
    title: words.t.sheet.previewTitle,
    current: '/people',
    hasEnd: endField(deps).isThere,
    sheet,
    counts,
    columns,
    mail: rules && mailColumnIn(columns, rules.addressAttribute),
    invitedCount: invited.length,
    sendsMails: !sheet.invites || rules !== null,
    sample,
    faults: faults.map(({ line, fault }) => ({ line, fault: mistakeOf(fault, words) })),
    faultCount: counts.refused,
  })
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

/** Returns a mistake in the language of the page. The words of the command line stay there. */
function mistakeOf({ code, values }: RowFault, { has, say }: Words): string {
  const path = `sheet.faults.${code}`
  return say(has(path) ? path : 'sheet.faults.other', values)
}
