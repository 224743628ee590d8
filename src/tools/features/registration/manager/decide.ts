import { STATES } from '../../../../features/registration/book/registration.ts'
import type { RegistrationFilter, Seen } from '../../../../features/registration/book/registrations.ts'
import { cleanText } from '../../../../typed-text.ts'
import { outcomeOf } from '../../../cli/terminal/command.ts'
import { type Answer, page, redirect, refused, type Sentence, type Visit } from '../../../manager/door/route.ts'
import { pathOf } from '../../../manager/pages/renderer.ts'
import type { Words } from '../../../manager/pages/words.ts'
import type { SectionDeps } from '../../../manager/section.ts'
import { type Asked, changeRegistrations, type Fault } from '../change-registrations.ts'
import { MAILS_PER_MINUTE, type OpenRegistrations, pagesOf, withRegistrations } from '../open-registrations.ts'

const STEPS = ['approve', 'refuse', 'cancel', 'forget'] as const
/** The most guests of one decision. Each is written on its own, and the manager waits. */
const MOST = 1_000
const LONGEST_TEXT = 255
const MOST_NOTES = 20

/** Reads the filter of the list from a query or a form. */
export function filterOf({ field }: Visit): Pick<RegistrationFilter, 'state' | 'text'> {
  const text = cleanText(field('text')).slice(0, LONGEST_TEXT)
  return { state: STATES.find((one) => one === field('state')), text: text === '' ? undefined : text }
}

/** Returns the filter as a query. */
export function queryOf({ state, text }: ReturnType<typeof filterOf>): Record<string, string> {
  return { state: state ?? '', text: text ?? '' }
}

/** Says what a decision does before it is made: a mail cannot be taken back. */
export async function askFirst(deps: SectionDeps, visit: Visit): Promise<Answer> {
  const { field, fields, part, words } = visit
  const path = ['registrations', part('entryPoint')]
  const step = STEPS.find((one) => one === field('step'))
  const query = queryOf(filterOf(visit))
  const isAll = field('all') === 'on'
  const back = pathOf(path, query)
  const chosen = [...new Set(fields('address'))]
  const asked = isAll ? await withChosen(deps, visit, (_opened, all) => all) : chosen
  if (step === undefined || asked.length === 0)
    return redirect(back, { tone: 'refused', text: 'registrations.noneChosen' })
  if (asked.length > MOST)
    return redirect(back, { tone: 'refused', text: 'registrations.tooMany', values: { count: MOST } })
  return page('registration/ask', {
    title: words.say(`registrations.ask.${step}.title`),
    current: '/registrations',
    step,
    isAll,
    count: asked.length,
    addresses: isAll ? [] : chosen,
    seen: isAll ? [] : fields('seen'),
    query,
    back,
    action: pathOf(path),
  })
}

/** Makes a decision on the chosen guests, or on all that match. All that match are asked about first. */
export async function decide(deps: SectionDeps, visit: Visit): Promise<Answer> {
  const { field, words } = visit
  const to = pathOf(['registrations', visit.part('entryPoint')], queryOf(filterOf(visit)))
  const step = STEPS.find((one) => one === field('step'))
  if (step === undefined) return redirect(to, { tone: 'refused', text: 'registrations.noneChosen' })
  const isAll = field('all') === 'on'
  if (isAll && field('count') === '') return await askFirst(deps, visit)
  const result = await outcomeOf(() =>
    withChosen(deps, visit, async ({ registrations }, asked) => {
      // The manager agreed to the number on the page.
      const isOther = isAll && asked.length !== Number(field('count'))
      if (asked.length === 0 || isOther) return { ok: true, asked, isOther } as const
      return { ok: true, asked, ...(await changeRegistrations(registrations, step, asked)) } as const
    }),
  )
  if (!result.ok) return refused(to, 'registrations.refused', result)
  const { asked } = result
  if (!('changed' in result)) {
    const text = result.isOther ? 'registrations.otherNumber' : 'registrations.noneChosen'
    return redirect(to, { tone: 'refused', text })
  }
  const subject = { count: asked.length, detail: step, ...(asked.length === 1 && { viewer: asked[0]?.address ?? '' }) }
  const count = result.changed.length
  // The page must not show the address of a forgotten guest in its list of mails.
  if (step === 'forget') for (const address of result.changed) deps.mails.forget(address, visit.part('entryPoint'))
  const notes = result.faults.slice(0, MOST_NOTES).map((one) => noteOf(one, words))
  if (count === asked.length)
    return redirect(to, { tone: 'done', text: `registrations.done.${step}`, values: { count } }, subject)
  if (count > 0) {
    // Some guests may not be changed, such as without a free place.
    const values = { count, all: asked.length }
    return redirect(to, { tone: 'refused', text: 'registrations.part', values, notes }, subject)
  }
  return redirect(to, { tone: 'refused', text: 'registrations.refused', notes }, subject)
}

/** Calls work with the guests of the form: the chosen guests as the page showed them, or all that match now. */
async function withChosen<T>(
  deps: SectionDeps,
  visit: Visit,
  work: (opened: OpenRegistrations, asked: readonly Asked[]) => T | Promise<T>,
): Promise<T> {
  const options = { entryPoint: visit.part('entryPoint'), mailsPerMinute: MAILS_PER_MINUTE }
  return await withRegistrations(deps, options, async (opened) => {
    if (visit.field('all') === 'on') {
      const asked: Asked[] = []
      for await (const rows of pagesOf(opened.registrations, filterOf(visit))) {
        asked.push(...rows.map((row) => ({ address: row.address, seen: row })))
        if (asked.length > MOST) break
      }
      return await work(opened, asked)
    }
    const seen = new Map(visit.fields('seen').map(readSeen))
    const addresses = [...new Set(visit.fields('address'))]
    return await work(
      opened,
      addresses.map((address) => ({ address, seen: seen.get(address) })),
    )
  })
}

/** Reads what the page showed of a guest: the address, the state and the time of the last change. */
function readSeen(text: string): [address: string, seen: Seen] {
  const [address = '', state = '', changedAtSeconds] = text.split(' ')
  const known = STATES.find((one) => one === state)
  return [address, known && { state: known, changedAtSeconds: Number(changedAtSeconds) }]
}

/** Returns why a guest was not changed. */
function noteOf(one: Fault, words: Words): Sentence {
  const { fault, address: name } = one
  if (!('state' in one)) return { text: `registrations.faults.${fault}`, values: { name } }
  const time = words.clockOrTime(one.changedAtSeconds * 1000, Date.now())
  const state = words.say(`registrations.states.${one.state}`)
  return { text: `registrations.${fault}`, values: { name, time, state } }
}
