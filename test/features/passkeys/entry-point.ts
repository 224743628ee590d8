import type { HashEntryPoint } from '../../../src/entry-points/entry-point.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'

/** An entry point with passkeys. */
export function withPasskeys(entryPoint: HashEntryPoint = ENTRY_POINT): HashEntryPoint {
  return { ...entryPoint, features: { ...entryPoint.features, passkeys: {} } }
}
