import type { ViewerFilter } from '../../../users/manager/viewer-pages.ts'
import type { Visit } from '../door/route.ts'

const STATES = ['all', 'active', 'no-password', 'disabled'] as const
const LONGEST_TEXT = 255

/** Reads the filter of a list from a query or a form. The manager never sees more than the own entry points. */
export function filterOf({ field, scope }: Visit): ViewerFilter {
  const state = STATES.find((one) => one === field('state')) ?? 'all'
  const text = (name: string) => field(name).trim().slice(0, LONGEST_TEXT)
  return { text: text('text'), group: text('group'), state, oneOf: scope.groups }
}

/** Returns the filter as a query. */
export function queryOf({ text, group, state }: ViewerFilter): Record<string, string> {
  return { text, group, state: state === 'all' ? '' : state }
}
