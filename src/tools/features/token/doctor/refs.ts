import type { Config } from '../../../../config.ts'
import type { TokenEntryPoint } from '../../../../features/token/fields.ts'
import { notAllowed } from '../../../cli/doctor/app/content-security-policy.ts'
import { type Finding, failure, ok, PROXY_OR_SETTINGS } from '../../../cli/doctor/finding.ts'
import { request } from '../../../cli/doctor/request.ts'
import { addressOf } from '../../../cli/settings/chosen-entry-point.ts'

/** Checks that the app sends viewers to every address of REF_ADDRESSES. */
export async function* checkRefs(
  config: Config,
  entryPoint: TokenEntryPoint,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const address = addressOf(config, entryPoint)
  for (const { origin, path } of entryPoint.refAddresses) {
    const ref = origin + path
    const screen = await request(`${address}?${new URLSearchParams({ ref })}`, signal)
    if (!(screen instanceof Response)) yield screen
    else if (screen.status !== 200) {
      yield failure(
        'ref-refused',
        `${address} refuses ${ref} of REF_ADDRESSES (${screen.status}). ${PROXY_OR_SETTINGS}`,
      )
    } else if (notAllowed(screen.headers, 'form-action', [origin]).length > 0) {
      yield failure(
        'ref-form-action',
        `${address}: form-action lacks ${origin}, so browsers block the way to the player. ${PROXY_OR_SETTINGS}`,
      )
    } else yield ok('ref-allowed', `${address} sends viewers to ${ref}.`)
  }
}
