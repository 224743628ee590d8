import { type BundleSection, dataOf } from '../section.ts'

/** The findings of `store check`, without a viewer. */
export const storeFindings: BundleSection = { field: 'store', collect: (source) => dataOf(source, ['store', 'check']) }
