import type { Router } from 'express'
import type { HomeSection } from './companion.ts'
import type { FindFrameLock } from './player/content.ts'
import type { ServiceDeps } from './service-deps.ts'

/** The part of the emulated service that a feature of the login app needs. */
export interface ServiceFeature {
  /** The SQL of its tables. */
  readonly tables: string
  /** Returns the fault in the key of a channel or video in a seed, as the end of a sentence; null if it is usable. */
  faultInKey(text: string): string | null
  open(deps: ServiceFeatureDeps): OpenServiceFeature
}

export interface ServiceFeatureDeps extends ServiceDeps {
  /** Length of the RSA keys that the service makes: one of 4096 bits takes seconds, one of 2048 bits a fraction of one. */
  readonly keyBits: number
}

export interface OpenServiceFeature {
  readonly routes: Router
  /** Routes below `/emulator`. */
  readonly control: Router
  readonly section: HomeSection
  readonly findLock: FindFrameLock
}
