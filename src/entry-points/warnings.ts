import { type EntryPoint, type HashEntryPoint, isHashEntryPoint, isTokenEntryPoint } from './entry-point.ts'

const GOOGLE = 'https://accounts.google.com'

interface SessionSettings {
  readonly secrets: readonly string[]
  readonly lifetimeSeconds: number
  readonly idleSeconds: number
}

/** Returns sentences about valid settings of entry points that are usually a mistake. */
export function warningsOfEntryPoints(entryPoints: readonly EntryPoint[], sessions: SessionSettings): string[] {
  const warnings: string[] = []
  for (const { name, sso } of entryPoints) {
    if (sso?.issuer === GOOGLE && sso.tenants === null) {
      warnings.push(
        `Entry point ${name}: everybody with a Google account may sign in; set OIDC_TENANTS to your domain.`,
      )
    }
  }
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
  return [...warnings, ...warningsOfSecrets(withHash, sessions.secrets), ...warningsOfContentKeys(entryPoints)]
}

/** Warns about a content key with two purposes. */
function warningsOfContentKeys(entryPoints: readonly EntryPoint[]): string[] {
  const warnings: string[] = []
  const keys = entryPoints.filter(isTokenEntryPoint).map(({ contentKey }) => contentKey)
  if (keys.some((key, index) => keys.slice(0, index).some((earlier) => key.equals(earlier)))) {
    warnings.push(
      'Two entry points share a content key: a token for one is valid for the other. Use a key pair for each content.',
    )
  }
  const clientKeys = entryPoints.flatMap(({ sso }) =>
    sso?.authentication.kind === 'key' ? [sso.authentication.privateKey] : [],
  )
  if (keys.some((key) => clientKeys.some((clientKey) => key.equals(clientKey)))) {
    warnings.push('OIDC_CLIENT_KEY_FILE has the key of CONTENT_KEY too: use a key pair for each purpose.')
  }
  return warnings
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
