import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { addressOf } from '../../settings/chosen-entry-point.ts'
import type { SeenPlayer } from '../answer-check.ts'
import type { DoctorConfig } from '../feature-check.ts'
import { answerAt } from '../load-checks.ts'

/**
 * Returns the fields without which an entry point shows no screen.
 * @param player the player that was seen to ask this entry point. Null takes an address from the settings.
 */
export function fieldsOf(
  config: DoctorConfig,
  entryPoint: EntryPoint,
  player: SeenPlayer | null = null,
): Readonly<Record<string, string>> {
  return answerAt(config, entryPoint)?.fields(player) ?? {}
}

/** Returns the address of an entry point with fieldsOf(), as the player opens it. */
export function screenAddress(config: DoctorConfig, entryPoint: EntryPoint, player: SeenPlayer | null = null): string {
  const address = addressOf(config, entryPoint)
  const query = new URLSearchParams(fieldsOf(config, entryPoint, player)).toString()
  return query === '' ? address : `${address}?${query}`
}
