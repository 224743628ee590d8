import { type Registration, STATES } from '../../../../features/registration/book/registration.ts'
import type { Seen } from '../../../../features/registration/book/registrations.ts'
import { outcomeOf } from '../../../cli/terminal/command.ts'
import {
  ALL_ROLES,
  type Answer,
  EDITORS,
  faultText,
  get,
  page,
  post,
  redirect,
  refused,
  type Sentence,
  type Visit,
} from '../../../manager/door/route.ts'
import { pathOf } from '../../../manager/pages/renderer.ts'
import type { Words } from '../../../manager/pages/words.ts'
import type { PagePart, Section, SectionDeps } from '../../../manager/section.ts'
import { changeRegistrations, faultLine } from '../change-registrations.ts'
import { registrationsPage } from '../list-registrations.ts'
import { MAILS_PER_MINUTE, withRegistrations } from '../open-registrations.ts'
import { registrationWay } from './registration-way.ts'

const PATH = '/registrations'
const ROWS = 50
const STEPS = ['approve', 'refuse', 'cancel', 'forget'] as const

/** Registrations of guests: list, approve, refuse, cancel and forget. */
const registrationsSection: Section = {
  open: (deps) => ({
    tab: { path: PATH, text: 'registrations', roles: ALL_ROLES },
    routes: [
      get(PATH, ALL_ROLES, (visit) => chooseEntryPoint(deps, visit)),
      get(`${PATH}/:entryPoint`, ALL_ROLES, (visit) => show(deps, visit)),
      post(`${PATH}/:entryPoint`, EDITORS, 'registrations-changed', (visit) => change(deps, visit)),
      // A post, so that neither the token nor the guests are in an address.
      post(`${PATH}/:entryPoint/forget`, EDITORS, 'registrations-forget-asked', askToForget),
    ],
  }),
}

/** Registrations on the page for managers. */
export const registrationsPart: PagePart = { section: registrationsSection, wayIn: registrationWay }

function namesIn({ entryPoints }: SectionDeps, { scope }: Visit): string[] {
  const all = (entryPoints() ?? []).filter(({ features }) => features.registration !== undefined)
  return all.map(({ name }) => name).filter((name) => scope.seesEntryPoint(name))
}

function chooseEntryPoint(deps: SectionDeps, visit: Visit): Answer | Promise<Answer> {
  const names = namesIn(deps, visit)
  const [first] = names
  if (first !== undefined) return redirect(pathOf(['registrations', first]))
  const { t } = visit.words
  return page('message', { title: t.registrations.title, current: PATH, text: t.registrations.off, back: '/people' })
}

async function show(deps: SectionDeps, visit: Visit): Promise<Answer> {
  const { words, field, manager } = visit
  const entryPoint = visit.part('entryPoint')
  const names = namesIn(deps, visit)
  const title = words.t.registrations.title
  if (!names.includes(entryPoint)) return page('message', { title, current: PATH, text: words.t.errors.notFound }, 404)
  const state = STATES.find((one) => one === field('state'))
  const after = field('after').slice(0, 320)
  const filter = { limit: ROWS, ...(state !== undefined && { state }), ...(after !== '' && { after }) }
  const listed = await outcomeOf(() =>
    withRegistrations(deps, { entryPoint }, async (opened) => {
      return { ok: true, ...(await registrationsPage(opened, filter)) } as const
    }),
  )
  if (!listed.ok) {
    const text = faultText(listed.fault, words)
    return page('message', { title, current: PATH, text, back: '/people' }, 503)
  }
  const { registrations, counts, most, next } = listed
  const path = ['registrations', entryPoint]
  return page('registration/registrations', {
    title,
    current: PATH,
    entryPoint,
    names,
    state: state ?? '',
    counts: Object.entries(counts),
    most,
    rows: registrations,
    isEditor: EDITORS.includes(manager.role),
    action: pathOf(path),
    isStart: after === '',
    next: next === null ? null : pathOf(path, { state: state ?? '', after: next }),
  })
}

/** Says what is lost before registrations are forgotten. */
function askToForget({ field, fields, part, words }: Visit): Answer {
  const path = ['registrations', part('entryPoint')]
  const state = field('state')
  const back = pathOf(path, { state })
  const addresses = [...new Set(fields('address'))].slice(0, ROWS)
  if (addresses.length === 0) return redirect(back, { tone: 'refused', text: 'registrations.nobody' })
  const model = { title: words.t.registrations.forgetTitle, current: PATH, addresses, state, back }
  return page('registration/forget', { ...model, action: pathOf(path) })
}

async function change(deps: SectionDeps, visit: Visit): Promise<Answer> {
  const { field, fields, words } = visit
  const entryPoint = visit.part('entryPoint')
  const to = pathOf(['registrations', entryPoint], { state: field('state') })
  const step = STEPS.find((one) => one === field('step'))
  const addresses = [...new Set(fields('address'))]
  if (step === undefined || addresses.length === 0)
    return redirect(to, { tone: 'refused', text: 'registrations.nobody' })
  const seen = new Map(fields('seen').map(readSeen))
  const asked = addresses.map((address) => ({ address, seen: seen.get(address) }))
  const result = await outcomeOf(() =>
    withRegistrations(deps, { entryPoint, mailsPerMinute: MAILS_PER_MINUTE }, async ({ registrations }) => {
      return { ok: true, ...(await changeRegistrations(registrations, step, asked)) } as const
    }),
  )
  const subject = {
    count: addresses.length,
    detail: step,
    ...(addresses.length === 1 && { viewer: addresses[0] ?? '' }),
  }
  if (!result.ok) return refused(visit, to, 'registrations.refused', result.fault, { subject })
  const count = result.changed.length
  const notes = result.faults.flatMap((one) => (one.fault === 'decided' ? decidedNote(one, words) : []))
  if (count === addresses.length)
    return redirect(to, { tone: 'done', text: `registrations.done.${step}`, values: { count } }, subject)
  if (count > 0) {
    // Some guests may not be changed, such as without a free place.
    const values = { count, all: addresses.length }
    return redirect(to, { tone: 'refused', text: 'registrations.part', values, notes }, subject)
  }
  const others = result.faults.filter(({ fault }) => fault !== 'decided')
  const detail = others.map(faultLine).join('\n')
  return redirect(to, { tone: 'refused', text: 'registrations.refused', detail, notes }, subject)
}

/** Reads what the page showed of a guest: the address, the state and the time of the last change. */
function readSeen(text: string): [address: string, seen: Seen] {
  const [address = '', state = '', changedAtSeconds] = text.split(' ')
  const known = STATES.find((one) => one === state)
  return [address, known && { state: known, changedAtSeconds: Number(changedAtSeconds) }]
}

function decidedNote(
  { address: name, state, changedAtSeconds }: Pick<Registration, 'address' | 'state' | 'changedAtSeconds'>,
  words: Words,
): Sentence {
  const time = words.clockOrTime(changedAtSeconds * 1000, Date.now())
  return { text: 'registrations.decided', values: { name, time, state: words.say(`registrations.states.${state}`) } }
}
