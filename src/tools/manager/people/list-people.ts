import { cleanName } from '../../../typed-text.ts'
import type { ViewerFilter } from '../../../users/manager/viewer-pages.ts'
import type { ViewerState } from '../../../users/user-store.ts'
import { usernameKey } from '../../../users/viewer-fields.ts'
import { stateOf } from '../../cli/viewers/shown-viewer.ts'
import type { ViewerFacts } from '../../cli/viewers/viewer-facts.ts'
import { type Answer, page, redirect, sentenceOf, type Visit } from '../door/route.ts'
import { pathOf } from '../pages/renderer.ts'
import type { SectionDeps } from '../section.ts'

const STATES = ['all', 'active', 'no-password', 'not-invited', 'invited', 'disabled'] as const
const LONGEST_TEXT = 255
const ROWS = 50
const COUNT_MS = 10_000

/** The list of viewers, page by page. */
export function listPages({ viewerFacts, viewers, nowSeconds, kept, mails }: SectionDeps) {
  /** A count reads all viewers. */
  const countOf = kept.keep(COUNT_MS, (filter: ViewerFilter) => viewers.editable?.count(filter) ?? Promise.resolve(0))
  async function show(visit: Visit): Promise<Answer> {
    const { words, field } = visit
    const title = words.t.people.title
    // A directory cannot be listed: its viewers are found by their names.
    if (viewers.editable === null) return page('people-elsewhere', { title, current: '/people' })
    const filter = filterOf(visit)
    const [found, total] = await Promise.all([viewers.editable.page(filter, field('after'), ROWS + 1), countOf(filter)])
    const rows = found.slice(0, ROWS)
    const last = rows.at(-1)
    const next =
      found.length > ROWS && last
        ? pathOf(['people'], { ...queryOf(filter), after: usernameKey(last.viewer.username) })
        : null
    const isStart = field('after') === ''
    const model = {
      rows: rows.map((one) => rowOf(one, nowSeconds(), viewerFacts)),
      total,
      filter,
      next,
      isStart,
      query: queryOf(filter),
      states: STATES,
      invitations: progressFor(visit),
    }
    return page('people', { title, current: '/people', ...model })
  }
  /** A manager of some groups sees only the own invitations. */
  function progressFor({ manager, scope }: Visit) {
    const progress = mails.progress(scope.groups === null ? null : manager.name)
    const refused = progress.refused.map(({ username, fault }) => ({ username, fault: sentenceOf(fault) }))
    return { ...progress, refused }
  }
  function find(visit: Visit): Answer {
    const name = cleanName(visit.field('name')).slice(0, LONGEST_TEXT)
    return redirect(name === '' ? '/people' : pathOf(['people', 'one', name]))
  }
  return { show, find }
}

function rowOf(known: ViewerState, nowSeconds: number, viewerFacts: readonly ViewerFacts[]) {
  const { username, groups, attributes } = known.viewer
  return { username, groups, attributes: Object.entries(attributes), state: stateOf(known, nowSeconds, viewerFacts) }
}

/** Reads the filter of a list from a query or a form. The manager never sees more than the own entry points. */
export function filterOf({ field, scope }: Visit): ViewerFilter {
  const state = STATES.find((one) => one === field('state')) ?? 'all'
  const text = (name: string) => cleanName(field(name)).slice(0, LONGEST_TEXT)
  return { text: text('text'), group: text('group'), state, oneOf: scope.shownGroups }
}

/** Returns the filter as a query. */
export function queryOf({ text, group, state }: ViewerFilter): Record<string, string> {
  return { text, group, state: state === 'all' ? '' : state }
}
