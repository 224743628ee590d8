import { dataOf, type Section } from '../section.ts'

/** The findings of `store check`, without a viewer. */
export const storeFindings: Section = { field: 'store', collect: (source) => dataOf(source, ['store', 'check']) }
