import { type EntryPoint, type HashEntryPoint, isHashEntryPoint } from './entry-point.ts'
import type { FeatureSettings } from './feature-settings.ts'

const WEEK_SECONDS = 604_800
const ENTRY_POINT = /^Entry point ([^:]+): /
/** The entry points that a warning names. */
const NAMED = 3

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
  const run = {}
  const warnings = entryPoints.flatMap(({ name: entryPoint, features: settings }) =>
    features.flatMap(
      ({ name, warningsOf }) => (name in settings && warningsOf?.(settings[name], entryPoint, run)) || [],
    ),
  )
  const withHash = entryPoints.filter(isHashEntryPoint)
  for (const { name, lifetimeSeconds } of withHash) {
    if (lifetimeSeconds === 0) {
      warnings.push(`Entry point ${name}: the lifetime is 0, so a response never expires, not even a stolen one.`)
    }
    if (lifetimeSeconds > WEEK_SECONDS) {
      warnings.push(`Entry point ${name}: a response lives longer than a week, also a stolen one.`)
    }
    if (lifetimeSeconds > Math.min(sessions.idleSeconds, sessions.lifetimeSeconds)) {
      warnings.push(
        `Entry point ${name}: a response lives longer than an unused session, so every viewer must sign in again when ` +
          'it expires; raise SESSION_IDLE_SECONDS and SESSION_LIFETIME_SECONDS, or lower its lifetime.',
      )
    }
  }
  return grouped([...warnings, ...warningsOfSecrets(withHash, sessions.secrets)])
}

/** Says the same warning of many entry points once: a thousand lines would hide all others. */
function grouped(warnings: readonly string[]): string[] {
  const byText = Map.groupBy(warnings, (warning) => warning.replace(ENTRY_POINT, ''))
  return [...byText].flatMap(([text, all]) => {
    if (all.length <= NAMED) return all
    const names = all.slice(0, NAMED).map((warning) => ENTRY_POINT.exec(warning)?.[1])
    return `Entry points ${names.join(', ')} and ${all.length - NAMED} more: ${text}`
  })
}

/** Warns about a secret with two purposes, and about a previous secret that equals the current one. */
function warningsOfSecrets(entryPoints: readonly HashEntryPoint[], sessionSecrets: readonly string[]): string[] {
  const warnings: string[] = []
  const hashSecrets = entryPoints.flatMap(({ secret, previousSecret }) => [
    ...new Set([secret, previousSecret ?? secret]),
  ])
  if (new Set(hashSecrets).size < hashSecrets.length) {
    warnings.push('Two entry points share a secret: a response for one is valid for the other.')
  }
  if (sessionSecrets.some((secret) => hashSecrets.includes(secret))) {
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
