import type { Fault } from '../faults/installation.ts'
import { SSO_ENTRY_POINT_FAULTS } from './entry-point-faults.ts'
import { SSO_CLIENT_FAULTS, SSO_PROVIDER_FAULTS } from './provider-faults.ts'
import { SSO_START_FAULTS } from './start-faults.ts'

/** Installations with single sign-on and one fault, and a control without a fault. */
export const SSO_FAULTS: readonly Fault[] = [
  ...SSO_PROVIDER_FAULTS,
  ...SSO_CLIENT_FAULTS,
  ...SSO_START_FAULTS,
  ...SSO_ENTRY_POINT_FAULTS,
]
