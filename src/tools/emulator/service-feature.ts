import type { DatabaseSync } from 'node:sqlite'
import type { Router } from 'express'
import type { HomeSection } from './companion.ts'
import type { FindFrameLock } from './player/content.ts'

/** The part of the emulated service that a feature of the login app needs. */
export interface ServiceFeature {
  /** The SQL of its tables. */
  readonly tables: string
  /** Returns the fault in the key of a channel or video in a seed, as the end of a sentence; null if it is usable. */
  faultInKey(text: string): string | null
  open(deps: ServiceFeatureDeps): OpenServiceFeature
}

export interface ServiceFeatureDeps {
  readonly database: DatabaseSync
  readonly nowSeconds: () => number
  /** Scheme, host and port of the service, without a slash at the end. */
  readonly publicUrl: string
  /** Length of the RSA keys that the service makes. */
  readonly keyBits: number
}

export interface OpenServiceFeature {
  readonly routes: Router
  /** Routes below `/emulator`. */
  readonly control: Router
  readonly section: HomeSection
  readonly findLock: FindFrameLock
}
