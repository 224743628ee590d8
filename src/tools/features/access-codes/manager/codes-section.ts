import { LABEL, shownNumber } from '../../../../features/access-codes/codes/code-records.ts'
import { canonicalWords, faultInWords } from '../../../../features/access-codes/codes/code-text.ts'
import { NO_HOLDER } from '../../../../features/access-codes/codes/new-codes.ts'
import { watchUrlOf } from '../../../../services/watch-page/service.ts'
import { type Outcome, outcomeOf } from '../../../cli/terminal/command.ts'
import { isConfirmed } from '../../../cli/terminal/confirm.ts'
import {
  ALL_ROLES,
  type Answer,
  EDITORS,
  get,
  page,
  post,
  redirect,
  refused,
  type Visit,
} from '../../../manager/door/route.ts'
import type { KeptBySession } from '../../../manager/kept-values.ts'
import { pathOf } from '../../../manager/pages/renderer.ts'
import { readEnd } from '../../../manager/pages/typed-times.ts'
import type { PagePart, Section, SectionDeps } from '../../../manager/section.ts'
import { renderCards } from '../code-sheet.ts'
import { codeRows, revokeBatch, revokeNumbers, shownBatches } from '../codes-command.ts'
import { type CreatedCodes, createCodes, type NewBatch } from '../create-codes.ts'
import { withCodes } from '../open-codes.ts'
import { codeWay } from './code-way.ts'

const PATH = '/codes'
/** More codes are a task for an engineer and a printer. */
const MOST_CODES = 2_000
/** More are found by their name or number. */
const MOST_ROWS = 300

type Kept = KeptBySession<CreatedCodes & Pick<NewBatch, 'endsAtSeconds'>>

/** Access codes for people without an account: make and print them, find and revoke them. */
const codesSection: Section = {
  open(deps) {
    const kept: Kept = deps.kept.bySession()
    return {
      tab: { path: PATH, text: 'codes', roles: ALL_ROLES },
      routes: [
        get(PATH, ALL_ROLES, (visit) => show(deps, visit)),
        get(`${PATH}/:entryPoint/list`, ALL_ROLES, (visit) => list(deps, visit)),
        get(`${PATH}/print`, EDITORS, (visit) => print(deps, kept, visit)),
        post(`${PATH}/:entryPoint/create`, EDITORS, 'codes-created', (visit) => create(deps, kept, visit)),
        post(`${PATH}/:entryPoint/revoke`, EDITORS, 'codes-revoked', (visit) => revoke(deps, visit)),
      ],
    }
  },
}

/** Access codes on the page for managers. */
export const codesPart: PagePart = { section: codesSection, wayIn: codeWay }

async function show({ entryPoints, env }: SectionDeps, visit: Visit): Promise<Answer> {
  const { scope, words } = visit
  const names = (entryPoints() ?? [])
    .filter(({ name, features }) => features['access-codes'] !== undefined && scope.showsEntryPoint(name))
    .map(({ name }) => name)
  const points = await Promise.all(
    names.map(async (name) => {
      const listed = await outcomeOf(() =>
        withCodes({ env }, name, async ({ codes, entryPoint }) => {
          return { ok: true, batches: await shownBatches(env, entryPoint, await codes.batches(name)) } as const
        }),
      )
      const batches = listed.ok ? listed.batches : []
      return { name, batches, isKnown: listed.ok, path: (act: string) => pathOf(['codes', name, act]) }
    }),
  )
  return page('access-codes/codes', { title: words.t.codes.title, current: PATH, points })
}

/** Lists codes of an entry point, by batch, name and number. */
async function list({ env }: SectionDeps, visit: Visit): Promise<Answer> {
  const { field, words, part } = visit
  const name = part('entryPoint')
  const query = { label: field('label'), text: field('text') }
  const listed = await outcomeOf(() =>
    withCodes({ env }, name, async ({ codes, entryPoint }) => {
      const { label } = query
      const batches = (await codes.batches(name)).filter((batch) => label === '' || batch.label === label)
      const rows = []
      for await (const row of codeRows(codes, batches)) {
        const code = { ...row, shown: `${row.label}-${shownNumber(row.number)}` }
        const isFound = `${code.shown} ${row.name ?? ''}`.toLowerCase().includes(query.text.toLowerCase())
        if (isFound && rows.push(code) > MOST_ROWS) break
      }
      return { ok: true, rows, batches: await shownBatches(env, entryPoint, batches) } as const
    }),
  )
  if (!listed.ok) return refused(PATH, 'codes.notListed', listed)
  const codes = { rows: listed.rows.slice(0, MOST_ROWS), isMore: listed.rows.length > MOST_ROWS }
  const title = words.say('codes.listTitle', { entryPoint: name })
  return page('access-codes/list', { title, current: PATH, name, query, batches: listed.batches, ...codes })
}

/** Creates codes. Their texts are shown once, and kept only in memory. */
async function create({ env }: SectionDeps, kept: Kept, visit: Visit): Promise<Answer> {
  const { field, words, sessionId } = visit
  const entryPoint = visit.part('entryPoint')
  const label = field('label').trim()
  const count = Number(field('count'))
  const until = field('until').trim()
  const isRight = LABEL.test(label) && Number.isInteger(count) && count >= 1 && count <= MOST_CODES
  const isShared = field('kind') === 'shared'
  if (!isRight) return redirect(PATH, { tone: 'refused', text: 'codes.wrong' })
  const ownWords = canonicalWords(field('words')) || null
  if (ownWords !== null && faultInWords(ownWords) !== null)
    return redirect(PATH, { tone: 'refused', text: 'codes.wrongWords' }, { detail: label })
  // A day of the page's zone means its last second.
  const end = readEnd(until || 'never', words)
  if (!end.ok)
    return redirect(PATH, { tone: 'refused', text: 'codes.notCreated', notes: [end.fault] }, { detail: label })
  const batch = {
    label,
    holders: Array.from({ length: isShared ? 1 : count }, () => NO_HOLDER),
    isShared,
    most: isShared ? count : null,
    devices: null,
    words: ownWords,
    endsAtSeconds: end.value?.seconds ?? null,
    groups: [],
    attributes: {},
  }
  const result = await outcomeOf(() => withCodes({ env }, entryPoint, (open) => createCodes(open, batch)))
  if (!result.ok) return refused(PATH, 'codes.notCreated', result, { subject: { detail: label } })
  kept.set(sessionId, { ...result.data, endsAtSeconds: batch.endsAtSeconds })
  return redirect(`${PATH}/print`, undefined, { count, detail: label })
}

async function print(
  { entryPoints, events }: SectionDeps,
  kept: Kept,
  { sessionId, words, scope }: Visit,
): Promise<Answer> {
  const printed = kept.get(sessionId)
  const entryPoint = entryPoints()?.find(({ name }) => name === printed?.entryPoint && scope.seesEntryPoint(name))
  if (!printed || !entryPoint) return redirect(PATH, { tone: 'refused', text: 'codes.gone' })
  const sheet = { ...printed, entryPoint, watchUrl: watchUrlOf(entryPoint), timeZone: words.zone, events }
  const title = words.say('codes.printTitle', { label: printed.label })
  return page('access-codes/print', { title, current: PATH, cards: await renderCards(sheet) })
}

/** Revokes a batch, or one code of it, and leads back to its page. */
async function revoke({ env }: SectionDeps, visit: Visit): Promise<Answer> {
  const { field, part } = visit
  const entryPoint = part('entryPoint')
  const label = field('label')
  const number = field('number')
  if (!LABEL.test(label)) return redirect(PATH, { tone: 'refused', text: 'codes.wrong' })
  const isOne = number !== ''
  const result = await outcomeOf(() =>
    withCodes<Outcome>({ env }, entryPoint, (open) =>
      isOne ? revokeNumbers(open, label, [Number(number)]) : revokeBatch(open, label, isConfirmed),
    ),
  )
  const target = isOne ? `${label}-${shownNumber(Number(number))}` : label
  const back = isOne ? pathOf(['codes', entryPoint, 'list'], { label }) : PATH
  if (!result.ok) return refused(back, 'codes.notRevoked', result, { subject: { target } })
  const text = isOne ? 'codes.revokedOne' : 'codes.revoked'
  return redirect(back, { tone: 'done', text, values: { label: target } }, { target })
}
