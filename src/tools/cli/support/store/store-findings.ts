import { checkUserStore } from '../../settings/store-command.ts'
import { type BundleSection, dataOf } from '../section.ts'

/** The findings of `store check`, without a viewer. */
export const storeFindings: BundleSection = {
  field: 'store',
  collect: (source) => dataOf(() => checkUserStore(source, { json: true, password: false })),
}
