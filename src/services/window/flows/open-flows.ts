import type { SharedStores, StoreDeps } from '../../../stores/store-kind.ts'
import { stores } from '../../../stores.ts'
import type { FlowStore } from './flow-store.ts'
import { createMemoryFlows } from './memory-flows.ts'
import { openSharedFlows } from './shared-flows.ts'

/** Opens the store of sign-ins that are under way: where the copies of the app share sessions or limits, else in memory. */
export async function openFlows(shared: SharedStores, deps: StoreDeps): Promise<FlowStore> {
  const records = await stores.records(shared, { ...deps, without: 'viewers cannot sign in in a window' })
  return records === null ? createMemoryFlows(deps.nowSeconds) : openSharedFlows(records)
}
