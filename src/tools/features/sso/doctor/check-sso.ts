import { CALLBACK_PATH } from '../../../../features/sso/open-sso.ts'
import { connectionIdOf, ssoOf } from '../../../../features/sso/settings/sso-settings.ts'
import type { DoctorConfig } from '../../../cli/doctor/feature-check.ts'
import { type Finding, findingOf } from '../../../cli/doctor/finding.ts'
import { checkClient } from './client.ts'
import { checkKeys, checkUserInfo, compareWithProvider, readDiscovery } from './discovery.ts'
import { checkOffers } from './offers.ts'
import { checkRegistration } from './registration.ts'
import { type ChosenSsoEntryPoint, checkStart } from './start.ts'

/**
 * Checks the identity providers, and that the app sends viewers there. No sign-in at a provider is possible from here.
 * Entry points with the same provider share its checks.
 * @returns the entry points where no check failed.
 */
export async function* checkSso(
  config: DoctorConfig,
  signal: AbortSignal,
): AsyncGenerator<Finding, readonly ChosenSsoEntryPoint[]> {
  const fine: ChosenSsoEntryPoint[] = []
  const redirectUri = new URL(CALLBACK_PATH, config.publicUrl).href
  const checked = new Map<string, boolean>()
  for (const entryPoint of config.entryPoints) {
    const sso = ssoOf(entryPoint)
    if (sso === null) continue
    const chosen = { ...entryPoint, sso }
    const connectionId = connectionIdOf(sso)
    let isProviderFine = checked.get(connectionId) ?? true
    let isStartFine = true
    if (!checked.has(connectionId)) {
      for await (const finding of checkProvider(chosen, redirectUri, signal)) {
        if (finding.state === 'failure') isProviderFine = false
        yield findingOf(config, entryPoint, finding)
      }
      checked.set(connectionId, isProviderFine)
    }
    for await (const finding of checkStart(config, chosen, signal)) {
      if (finding.state === 'failure') isStartFine = false
      yield findingOf(config, entryPoint, finding)
    }
    if (isProviderFine && isStartFine) fine.push(chosen)
  }
  return fine
}

async function* checkProvider(
  { sso, allowedGroups }: ChosenSsoEntryPoint,
  redirectUri: string,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const discovered = await readDiscovery(sso, signal)
  yield discovered.finding
  if (discovered.provider === null) return
  yield compareWithProvider(discovered.answer)
  yield await checkKeys(discovered.provider.serverMetadata(), signal)
  yield await checkUserInfo(discovered.provider.serverMetadata(), signal)
  yield* checkOffers(discovered.provider.serverMetadata(), sso, sso.needsGroups || allowedGroups !== null)
  yield await checkRegistration(discovered.provider, sso, redirectUri, signal)
  yield await checkClient(discovered.provider, sso, redirectUri)
}
