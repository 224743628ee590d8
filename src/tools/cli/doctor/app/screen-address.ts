import type { Config } from '../../../../config.ts'
import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { addressOf } from '../../settings/chosen-entry-point.ts'
import type { SeenPlayer } from '../answer-check.ts'
import { answerAt } from '../answer-checks.ts'

/**
 * Returns the fields without which an entry point shows no screen.
 * @param player the player that was seen to ask this entry point. Null takes an address from the settings.
 */
export function fieldsOf(entryPoint: EntryPoint, player: SeenPlayer | null = null): Readonly<Record<string, string>> {
  return answerAt(entryPoint)?.fields(player) ?? {}
}

/** Returns the address of an entry point with fieldsOf(), as the player opens it. */
export function screenAddress(config: Config, entryPoint: EntryPoint, player: SeenPlayer | null = null): string {
  const address = addressOf(config, entryPoint)
  const query = new URLSearchParams(fieldsOf(entryPoint, player)).toString()
  return query === '' ? address : `${address}?${query}`
}
