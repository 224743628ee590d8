import type { Config } from '../../../../config.ts'
import { decideRef } from '../../../../features/token/ref-address.ts'
import { type Finding, failure, findingOf, ok, unknown } from '../../../cli/doctor/finding.ts'
import { addressOf } from '../../../cli/settings/chosen-entry-point.ts'
import type { TokenPlayer } from './seen-player.ts'
import { tryContentKey } from './token-trial.ts'

/**
 * Checks a player that asks for tokens: the settings must allow its address, and it must accept their content key.
 * @returns true if the settings allow its address.
 */
export async function* checkPlayer(
  config: Config,
  player: TokenPlayer,
  signal: AbortSignal,
): AsyncGenerator<Finding, boolean> {
  const { entryPoint, fields, shown } = player
  const asks = `The player ${shown} sends viewers to ${addressOf(config, entryPoint)}`
  const decision = decideRef(fields.ref, entryPoint.refAddresses)
  if (!decision.ok) {
    const fix = 'The app refuses every viewer. Add the address of the player to REF_ADDRESSES, and restart the app.'
    yield findingOf(config, entryPoint, failure('ref-not-listed', `${asks}, but ref ${decision.reason}. ${fix}`))
    return false
  }
  yield findingOf(config, entryPoint, judge(await tryContentKey(player, signal), asks))
  return true
}

function judge(answer: Awaited<ReturnType<typeof tryContentKey>>, asks: string): Finding {
  if (answer === 'accepts') {
    return ok(
      'viewer-auth-proven',
      `${asks}. It accepts a token with the content key, and refuses one with another key.`,
    )
  }
  if (answer === 'sends-back') {
    return failure(
      'viewer-auth-key',
      `${asks}, but refuses tokens with the content key. The service has another public key. Check CONTENT_KEY, then run lock set --viewer-auth token.`,
    )
  }
  return unknown(
    'viewer-auth-unproven',
    `${asks}. Its answers do not show which tokens it accepts, so the public key at the service is unknown. Watch the video once.`,
  )
}
