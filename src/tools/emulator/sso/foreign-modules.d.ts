/** Types of a file of the package that has none. */
declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  import type { AdapterFactory } from 'oidc-provider'
  /** Returns a factory of stores that share their memory. */
  export function createMemoryAdapter(): AdapterFactory
}
