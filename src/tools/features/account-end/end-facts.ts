import { accountEndOf, END_ATTRIBUTE, endNamesIn } from '../../../features/account-end/account-end.ts'
import type { ViewerFacts } from '../../cli/viewers/viewer-facts.ts'
import { untilColumn } from './import/until-column.ts'
import { endedState } from './until.ts'

/** Accounts that end: their state, the column `until`, and the field on pages. */
export const endFacts: ViewerFacts = {
  stateOf: endedState,
  column: untilColumn,
  accountEnd: { attribute: END_ATTRIBUTE, namesIn: endNamesIn, endOf: accountEndOf },
}
