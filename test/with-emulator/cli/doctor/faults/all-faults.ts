import { ALL_CLEAR_FAULTS } from './all-clear-faults.ts'
import { CERTIFICATE_FAULTS } from './certificate-faults.ts'
import { CONTROLS } from './controls.ts'
import { ENTRY_POINT_FAULTS } from './entry-point-faults.ts'
import type { Fault } from './installation.ts'
import { LOCK_FAULTS } from './lock-faults.ts'
import { PAGE_FAULTS } from './page-faults.ts'
import { PROXY_FAULTS } from './proxy-faults.ts'
import { SETTINGS_FAULTS } from './settings-faults.ts'
import { SIGN_IN_FAULTS } from './sign-in-faults.ts'

/** Installations with one fault, and controls without a fault. Single sign-on and tokens have lists of their own. */
export const FAULTS: readonly Fault[] = [
  ...ALL_CLEAR_FAULTS,
  ...SETTINGS_FAULTS,
  ...PROXY_FAULTS,
  ...CERTIFICATE_FAULTS,
  ...LOCK_FAULTS,
  ...ENTRY_POINT_FAULTS,
  ...SIGN_IN_FAULTS,
  ...PAGE_FAULTS,
  ...CONTROLS,
]
