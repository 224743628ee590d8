import type { Viewer } from '../../../users/user-store.ts'
import type { AccountEnd } from '../../cli/viewers/viewer-facts.ts'
import { endText } from '../pages/typed-times.ts'
import type { Words } from '../pages/words.ts'
import type { SectionDeps } from '../section.ts'

type Attributes = Viewer['attributes']

/** Without a feature that ends accounts, no attribute is an end, and the forms have no field for it. */
const NO_END: AccountEnd = { attribute: '', namesIn: () => [], endOf: () => null }

/** The end of an account in forms and lists, where it has a field of its own. */
export function endField({ viewerFacts }: Pick<SectionDeps, 'viewerFacts'>) {
  const known = viewerFacts.find(({ accountEnd }) => accountEnd !== undefined)?.accountEnd
  const { attribute, namesIn, endOf } = known ?? NO_END
  const endMsOf = (attributes: Attributes) => {
    const end = endOf(attributes)
    return end === null || end === 'unreadable' ? end : end.seconds * 1000
  }
  return {
    /** False: the forms have no field for the end. */
    isThere: known !== undefined,
    attribute,
    namesIn,
    endMsOf,
    /** Returns the end as the form has it. Empty for none, and for one that cannot be read. */
    textOf(attributes: Attributes, words: Words): string {
      const endMs = endMsOf(attributes)
      return endMs === null || endMs === 'unreadable' ? '' : endText(endMs / 1000, words)
    },
    /** Returns typed attributes with the end of the field. A new end replaces every attribute that is one. */
    withEnd(typed: Attributes, end: string | undefined, isSame: boolean): Record<string, string> {
      const ends = isSame ? [attribute] : [attribute, ...namesIn(typed)]
      const others = Object.fromEntries(Object.entries(typed).filter(([name]) => !ends.includes(name)))
      return end === undefined || end === '' ? others : { ...others, [attribute]: end }
    },
  }
}
