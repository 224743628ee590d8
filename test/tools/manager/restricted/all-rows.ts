import { codesRows } from '../../features/access-codes/manager/restricted-rows.ts'
import { accountRows } from '../../features/account/manager/restricted-rows.ts'
import { colleaguesRows } from '../../features/colleagues/restricted-rows.ts'
import { doorsRows } from '../../features/doors/manager/restricted-rows.ts'
import { mailRows } from '../../features/mail/manager/restricted-rows.ts'
import { passkeysRows } from '../../features/passkeys/manager/restricted-rows.ts'
import { registrationRows } from '../../features/registration/manager/restricted-rows.ts'
import { core } from './core-rows.ts'
import type { RestrictedPart } from './world.ts'

/** The rows of all parts of the page. */
export const PARTS: readonly RestrictedPart[] = [
  core,
  accountRows,
  codesRows,
  doorsRows,
  mailRows,
  registrationRows,
  colleaguesRows,
  passkeysRows,
]
