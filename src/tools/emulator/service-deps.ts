import type { DatabaseSync } from 'node:sqlite'

/** The state of the service and its address. All its routes share them. */
export interface ServiceDeps {
  readonly database: DatabaseSync
  readonly nowSeconds: () => number
  /** Scheme, host and port of the service, without a slash at the end. */
  readonly publicUrl: string
}
