import { LABEL } from '../../../../features/access-codes/codes/code-records.ts'
import { NO_HOLDER } from '../../../../features/access-codes/codes/new-codes.ts'
import { watchUrlOf } from '../../../../services/watch-page/service.ts'
import { outcomeOf } from '../../../cli/terminal/command.ts'
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
import { revokeBatch, shownBatches } from '../codes-command.ts'
import { type CreatedCodes, createCodes, type NewBatch } from '../create-codes.ts'
import { withCodes } from '../open-codes.ts'
import { codeWay } from './code-way.ts'

const PATH = '/codes'
/** More codes are a task for an engineer and a printer. */
const MOST_CODES = 2_000

type Kept = KeptBySession<CreatedCodes & Pick<NewBatch, 'endsAtSeconds'>>

/** Access codes for people without an account: make and print them, revoke a batch. */
const codesSection: Section = {
  open(deps) {
    const kept: Kept = deps.kept.bySession()
    return {
      tab: { path: PATH, text: 'codes', roles: ALL_ROLES },
      routes: [
        get(PATH, ALL_ROLES, (visit) => show(deps, visit)),
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
  const { scope, words, manager } = visit
  const names = (entryPoints() ?? [])
    .filter(({ name, features }) => features['access-codes'] !== undefined && scope.showsEntryPoint(name))
    .map(({ name }) => name)
  const points = await Promise.all(
    names.map(async (name) => {
      const listed = await outcomeOf(() =>
        withCodes({ env }, name, async ({ codes }) => {
          return { ok: true, batches: shownBatches(await codes.batches(name)) } as const
        }),
      )
      const batches = listed.ok ? listed.batches : []
      return { name, batches, isKnown: listed.ok, path: (act: string) => pathOf(['codes', name, act]) }
    }),
  )
  const isEditor = EDITORS.includes(manager.role)
  return page('access-codes/codes', { title: words.t.codes.title, current: PATH, points, isEditor })
}

/** Creates codes. Their texts are shown once, and kept only in memory. */
async function create({ env }: SectionDeps, kept: Kept, visit: Visit): Promise<Answer> {
  const { field, words, sessionId } = visit
  const entryPoint = visit.part('entryPoint')
  const label = field('label').trim()
  const count = Number(field('count'))
  const until = field('until').trim()
  const isRight = LABEL.test(label) && Number.isInteger(count) && count >= 1 && count <= MOST_CODES
  if (!isRight) return redirect(PATH, { tone: 'refused', text: 'codes.wrong' })
  // A day of the page's zone means its last second.
  const end = readEnd(until || 'never', words)
  if (!end.ok)
    return redirect(PATH, { tone: 'refused', text: 'codes.notCreated', notes: [end.fault] }, { detail: label })
  const batch = {
    label,
    holders: Array.from({ length: count }, () => NO_HOLDER),
    isShared: false,
    most: null,
    devices: null,
    words: null,
    endsAtSeconds: end.value?.seconds ?? null,
    groups: [],
    attributes: {},
  }
  const result = await outcomeOf(() => withCodes({ env }, entryPoint, (open) => createCodes(open, batch)))
  if (!result.ok) return refused(PATH, 'codes.notCreated', result, { subject: { detail: label } })
  kept.set(sessionId, { ...result.data, endsAtSeconds: batch.endsAtSeconds })
  return redirect(`${PATH}/print`, undefined, { count, detail: label })
}

async function print({ entryPoints }: SectionDeps, kept: Kept, { sessionId, words, scope }: Visit): Promise<Answer> {
  const printed = kept.get(sessionId)
  const entryPoint = entryPoints()?.find(({ name }) => name === printed?.entryPoint && scope.seesEntryPoint(name))
  if (!printed || !entryPoint) return redirect(PATH, { tone: 'refused', text: 'codes.gone' })
  const sheet = { ...printed, entryPoint, watchUrl: watchUrlOf(entryPoint), timeZone: words.zone }
  const title = words.say('codes.printTitle', { label: printed.label })
  return page('access-codes/print', { title, current: PATH, cards: await renderCards(sheet) })
}

async function revoke({ env }: SectionDeps, visit: Visit): Promise<Answer> {
  const label = visit.field('label')
  if (!LABEL.test(label)) return redirect(PATH, { tone: 'refused', text: 'codes.wrong' })
  const result = await outcomeOf(() =>
    withCodes({ env }, visit.part('entryPoint'), (open) => revokeBatch(open, label, isConfirmed)),
  )
  const subject = { detail: label }
  if (!result.ok) return refused(PATH, 'codes.notRevoked', result, { subject })
  return redirect(PATH, { tone: 'done', text: 'codes.revoked', values: { label } }, subject)
}
