import { type EntryPoint, type HashEntryPoint, isHashEntryPoint } from './entry-point.ts'
import type { FeatureSettings, PrivateKey } from './feature-settings.ts'

interface SessionSettings {
  readonly secrets: readonly string[]
  readonly lifetimeSeconds: number
  readonly idleSeconds: number
}

/** Returns sentences about valid settings of entry points that are usually a mistake. */
export function warningsOfEntryPoints(
  entryPoints: readonly EntryPoint[],
  features: readonly FeatureSettings[],
  sessions: SessionSettings,
): string[] {
  const on = entryPoints.flatMap((entryPoint) =>
    features
      .filter(({ name }) => name in entryPoint.features)
      .map((feature) => ({ feature, settings: entryPoint.features[feature.name], entryPoint: entryPoint.name })),
  )
  const warnings = on.flatMap(({ feature, settings, entryPoint }) => feature.warningsOf?.(settings, entryPoint) ?? [])
  const keys = on.flatMap(({ feature, settings, entryPoint }) =>
    (feature.keysOf?.(settings) ?? []).map((key) => ({ ...key, entryPoint })),
  )
  const withHash = entryPoints.filter(isHashEntryPoint)
  for (const { name, lifetimeSeconds } of withHash) {
    if (lifetimeSeconds === 0) {
      warnings.push(`Entry point ${name}: the lifetime is 0, so a response never expires, not even a stolen one.`)
    }
    if (lifetimeSeconds > Math.min(sessions.idleSeconds, sessions.lifetimeSeconds)) {
      warnings.push(
        `Entry point ${name}: a response lives longer than an unused session, so every viewer must sign in again when ` +
          'it expires; raise SESSION_IDLE_SECONDS and SESSION_LIFETIME_SECONDS, or lower its lifetime.',
      )
    }
  }
  return [...warnings, ...warningsOfSecrets(withHash, sessions.secrets), ...warningsOfKeys(keys)]
}

interface NamedKey extends PrivateKey {
  readonly entryPoint: string
}

/** Warns about a private key with two purposes. */
function warningsOfKeys(keys: readonly NamedKey[]): string[] {
  return keys.flatMap(({ setting, entryPoint, key, isOfClient }, index) => {
    const other = keys
      .slice(0, index)
      .find((earlier) => key.equals(earlier.key) && !(isOfClient && earlier.setting === setting))
    if (other === undefined) return []
    return [
      `${other.setting} of entry point ${other.entryPoint} and ${setting} of entry point ${entryPoint} are the same key: ` +
        'what is signed for one is valid for the other. Use a key pair for each.',
    ]
  })
}

/** Warns about a secret with two purposes, and about a previous secret that equals the current one. */
function warningsOfSecrets(entryPoints: readonly HashEntryPoint[], sessionSecrets: readonly string[]): string[] {
  const warnings: string[] = []
  const hashSecrets = entryPoints.map(({ secret, previousSecret }) => new Set([secret, previousSecret ?? secret]))
  const allHashSecrets = new Set(hashSecrets.flatMap((secrets) => [...secrets]))
  if (allHashSecrets.size < hashSecrets.reduce((sum, { size }) => sum + size, 0)) {
    warnings.push('Two entry points share a secret: a response for one is valid for the other.')
  }
  if (sessionSecrets.some((secret) => allHashSecrets.has(secret))) {
    warnings.push('SESSION_SECRET is also shared with the video service: use a secret that only this app knows.')
  }
  for (const { name } of entryPoints.filter(({ secret, previousSecret }) => secret === previousSecret)) {
    warnings.push(`Entry point ${name}: the previous secret is the same as the secret, so it has no effect.`)
  }
  if (new Set(sessionSecrets).size < sessionSecrets.length) {
    warnings.push('SESSION_SECRET_PREVIOUS is the same as SESSION_SECRET, so it has no effect.')
  }
  return warnings
}
