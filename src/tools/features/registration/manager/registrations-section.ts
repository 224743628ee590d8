import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { STATES } from '../../../../features/registration/book/registration.ts'
import { fieldText } from '../../../../features/registration/settings/field.ts'
import { registrationOf } from '../../../../features/registration/settings/settings.ts'
import { outcomeOf } from '../../../cli/terminal/command.ts'
import { excelSheet } from '../../../manager/after/excel-sheet.ts'
import {
  ALL_ROLES,
  type Answer,
  EDITORS,
  get,
  page,
  post,
  redirect,
  sentenceOf,
  type Visit,
} from '../../../manager/door/route.ts'
import { pathOf } from '../../../manager/pages/renderer.ts'
import type { Words } from '../../../manager/pages/words.ts'
import type { PagePart, Section, SectionDeps } from '../../../manager/section.ts'
import { columnsOf } from '../export-registrations.ts'
import { registrationsPage } from '../list-registrations.ts'
import { pagesOf, withRegistrations } from '../open-registrations.ts'
import { askFirst, decide, filterOf, queryOf } from './decide.ts'
import { registeredGuests } from './registered-guests.ts'
import { registrationWay } from './registration-way.ts'

const PATH = '/registrations'
const ROWS = 50

/** Registrations of guests: list, export, approve, refuse, cancel and forget. */
const registrationsSection: Section = {
  open: (deps) => ({
    tab: { path: PATH, text: 'registrations', roles: ALL_ROLES },
    routes: [
      get(PATH, ALL_ROLES, (visit) => chooseEntryPoint(deps, visit)),
      get(`${PATH}/:entryPoint`, ALL_ROLES, (visit) => show(deps, visit)),
      get(`${PATH}/:entryPoint/sheet`, ALL_ROLES, (visit) => exportSheet(deps, visit)),
      post(`${PATH}/:entryPoint`, EDITORS, 'registrations-changed', (visit) => decide(deps, visit)),
      // A post, so that neither the token nor the guests are in an address.
      post(`${PATH}/:entryPoint/ask`, EDITORS, 'registrations-asked', (visit) => askFirst(deps, visit)),
    ],
  }),
}

/** Registrations on the page for managers. */
export const registrationsPart: PagePart = {
  section: registrationsSection,
  wayIn: registrationWay,
  guests: registeredGuests,
}

function namesIn({ entryPoints }: SectionDeps, isWanted: (name: string) => boolean): string[] {
  const all = (entryPoints() ?? []).filter(({ features }) => features.registration !== undefined)
  return all.map(({ name }) => name).filter(isWanted)
}

function chooseEntryPoint(deps: SectionDeps, visit: Visit): Answer | Promise<Answer> {
  const names = namesIn(deps, visit.scope.showsEntryPoint)
  const [first] = names
  if (first !== undefined) return redirect(pathOf(['registrations', first]))
  const { t } = visit.words
  return page('message', { title: t.registrations.title, current: PATH, text: t.registrations.off, back: '/people' })
}

async function show(deps: SectionDeps, visit: Visit): Promise<Answer> {
  const { words, field } = visit
  const entryPoint = visit.part('entryPoint')
  const names = namesIn(deps, visit.scope.seesEntryPoint)
  const title = words.t.registrations.title
  if (!names.includes(entryPoint)) return page('message', { title, current: PATH, text: words.t.errors.notFound }, 404)
  const filter = filterOf(visit)
  const after = field('after').slice(0, 320)
  const listed = await outcomeOf(() =>
    withRegistrations(deps, { entryPoint }, async (opened) => {
      const rows = await registrationsPage(opened, { ...filter, limit: ROWS, after: after === '' ? undefined : after })
      return { ok: true, labels: labelsOf(opened.entryPoint, words), ...rows } as const
    }),
  )
  if (!listed.ok) {
    const sentence = sentenceOf(listed)
    const text = words.say(sentence.text, sentence.values)
    return page('message', { title, current: PATH, text, back: '/people' }, 503)
  }
  const { registrations, counts, most, free, labels, next } = listed
  const path = ['registrations', entryPoint]
  const query = queryOf(filter)
  return page('registration/registrations', {
    title,
    current: PATH,
    entryPoint,
    names: names.filter(visit.scope.showsEntryPoint),
    states: STATES,
    query,
    counts: Object.entries(counts),
    most,
    free,
    labels,
    rows: registrations,
    action: pathOf(path),
    sheet: pathOf([...path, 'sheet'], query),
    isStart: after === '',
    next: next === null ? null : pathOf(path, { ...query, after: next }),
  })
}

/** Returns the labels of the form by the names of its fields, in the language of the page. */
function labelsOf(entryPoint: EntryPoint, { language }: Words): Readonly<Record<string, string>> {
  const fields = registrationOf(entryPoint)?.fields ?? []
  return Object.fromEntries(fields.map(({ name, label }) => [name, fieldText(label, language, 'en')]))
}

/** Returns all registrations that match, with the columns of `registrations export`. */
async function exportSheet(deps: SectionDeps, visit: Visit): Promise<Answer> {
  const entryPoint = visit.part('entryPoint')
  return await withRegistrations(deps, { entryPoint }, async (opened) => {
    const columns = columnsOf(opened.entryPoint, opened.registrations)
    const rows = []
    for await (const page of pagesOf(opened.registrations, filterOf(visit))) {
      rows.push(...page.map((one) => columns.map(({ cell }) => cell(one) ?? null)))
    }
    const titles = columns.map(({ title }) => title)
    const content = excelSheet(titles, rows, visit.words.language)
    return { kind: 'file', name: `registrations-${entryPoint}.csv`, type: 'text/csv; charset=utf-16le', content }
  })
}
