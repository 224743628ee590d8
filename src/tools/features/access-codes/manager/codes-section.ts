import { LABEL } from '../../../../features/access-codes/codes/code-records.ts'
import { NO_HOLDER } from '../../../../features/access-codes/codes/new-codes.ts'
import { outcomeOf } from '../../../cli/command.ts'
import { isConfirmed } from '../../../cli/terminal/confirm.ts'
import { ALL_ROLES, type Answer, EDITORS, page, redirect, type Visit } from '../../../manager/door/route.ts'
import { pathOf } from '../../../manager/pages/renderer.ts'
import { readEnd } from '../../../manager/pages/typed-times.ts'
import { detailOf } from '../../../manager/people/viewer-form.ts'
import type { PagePart, Section, SectionDeps } from '../../../manager/section.ts'
import { type CreatedCodes, createCodes } from '../create-codes.ts'
import { shownBatches } from '../list-command.ts'
import { withCodes } from '../open-codes.ts'
import { revokeBatch } from '../revoke-command.ts'
import { codeWay } from './code-way.ts'

const PATH = '/codes'
const KEPT_MS = 30 * 60_000
const MOST_KEPT = 10
/** More codes are a task for an engineer and a printer. */
const MOST_CODES = 2_000

/** New codes of one session. They are shown once, and are only in memory. */
interface Printed extends CreatedCodes {
  readonly atMs: number
}

/** Access codes for people without an account: make and print them, revoke a batch. */
const codesSection: Section = {
  open(deps) {
    const kept = new Map<string, Printed>()
    const post = { method: 'post', roles: EDITORS, subject: 'entry-point' } as const
    return {
      tab: { path: PATH, text: 'codes', roles: ALL_ROLES },
      routes: [
        { method: 'get', path: PATH, roles: ALL_ROLES, subject: 'nothing', handle: (visit) => show(deps, visit) },
        {
          method: 'get',
          path: `${PATH}/print`,
          roles: EDITORS,
          subject: 'nothing',
          handle: (visit) => print(deps, kept, visit),
        },
        {
          ...post,
          path: `${PATH}/:entryPoint/create`,
          act: 'codes-created',
          handle: (visit) => create(deps, kept, visit),
        },
        { ...post, path: `${PATH}/:entryPoint/revoke`, act: 'codes-revoked', handle: (visit) => revoke(deps, visit) },
      ],
    }
  },
}

/** Access codes on the page for managers. */
export const codesPart: PagePart = { section: codesSection, way: codeWay }

async function show({ entryPoints, env }: SectionDeps, visit: Visit): Promise<Answer> {
  const { scope, words, manager } = visit
  const names = (entryPoints() ?? [])
    .filter(({ name, features }) => features['access-codes'] !== undefined && scope.seesEntryPoint(name))
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

async function create({ env, nowSeconds }: SectionDeps, kept: Map<string, Printed>, visit: Visit): Promise<Answer> {
  const { field, words, sessionId } = visit
  const entryPoint = visit.part('entryPoint')
  const [label, count, until] = [field('label').trim(), Number(field('count')), field('until')]
  const isRight = LABEL.test(label) && Number.isInteger(count) && count >= 1 && count <= MOST_CODES
  if (!isRight || !/^(\d{4}-\d\d-\d\d)?$/.test(until)) return redirect(PATH, { tone: 'refused', text: 'codes.wrong' })
  // A day of the page's zone means its last second.
  const end = readEnd(until || 'never', words)
  if (!end.ok)
    return redirect(PATH, { tone: 'refused', text: 'codes.notCreated', more: [end.fault] }, { detail: label })
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
  if (!result.ok) {
    const detail = detailOf(result.fault) ?? words.t.errors.askEngineer
    return redirect(PATH, { tone: 'refused', text: 'codes.notCreated', detail }, { detail: label })
  }
  const nowMs = nowSeconds() * 1000
  for (const [id, { atMs }] of kept) if (atMs < nowMs - KEPT_MS) kept.delete(id)
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value ?? '')
  kept.set(sessionId, { ...result.data, atMs: nowMs })
  return redirect(`${PATH}/print`, undefined, { count, detail: label })
}

function print(
  { nowSeconds }: SectionDeps,
  kept: ReadonlyMap<string, Printed>,
  { sessionId, words, scope }: Visit,
): Answer {
  const printed = kept.get(sessionId)
  const isThere = printed && printed.atMs > nowSeconds() * 1000 - KEPT_MS && scope.seesEntryPoint(printed.entryPoint)
  if (!isThere) return redirect(PATH, { tone: 'refused', text: 'codes.gone' })
  return page('access-codes/print', {
    title: words.say('codes.printTitle', { label: printed.label }),
    current: PATH,
    printed,
  })
}

async function revoke({ env }: SectionDeps, visit: Visit): Promise<Answer> {
  const { field, words } = visit
  const label = field('label')
  if (!LABEL.test(label)) return redirect(PATH, { tone: 'refused', text: 'codes.wrong' })
  const result = await outcomeOf(() =>
    withCodes({ env }, visit.part('entryPoint'), (open) => revokeBatch(open, label, isConfirmed)),
  )
  if (result.ok) return redirect(PATH, { tone: 'done', text: 'codes.revoked', values: { label } }, { detail: label })
  const detail = detailOf(result.fault) ?? words.t.errors.askEngineer
  return redirect(PATH, { tone: 'refused', text: 'codes.notRevoked', detail }, { detail: label })
}
