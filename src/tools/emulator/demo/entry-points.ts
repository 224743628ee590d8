import { randomBytes } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ProgramSettings, programSettings } from '../developer/program-settings.ts'
import type { RunningProvider } from '../sso/start-provider.ts'
import type { RunningEmulator } from '../start-emulator.ts'
import type { DemoLocks } from './locks.ts'

const LOGO = fileURLToPath(new URL('brand/logo.svg', import.meta.url))

/** The settings of the emulator that belong to an entry point. */
const OF_ENTRY_POINT = ['PLAYER_RETURN_URL', 'PLAYER_ORIGINS', 'HASH_CONSUMERS']

/**
 * Writes the entry points of the demo: one with passkeys and the brand of a customer for the seeded locks, one without a
 * brand, one with viewer tokens, and one with single sign-on if the emulator has a provider. Only this user may read the
 * file, because it holds secrets.
 * @returns the settings for the login app that go with the file.
 */
export function writeEntryPoints(
  file: string,
  { url, seed, provider }: RunningEmulator,
  locks: DemoLocks,
  lifetimeSeconds: number,
): ProgramSettings {
  const settings = programSettings(url, seed)
  const playerOrigins = settings.PLAYER_ORIGINS?.split(',')
  const shared = {
    playerReturnUrl: settings.PLAYER_RETURN_URL,
    playerOrigins,
    hashConsumers: [settings.HASH_CONSUMERS],
    hashLifetimeSeconds: lifetimeSeconds,
  }
  const brand = {
    brandName: 'Lakeside Media',
    brandLogoFile: LOGO,
    brandLogoDarkFile: LOGO,
    brandColor: '#0a7d6c',
    helpUrl: `${url}/`,
  }
  const entryPoints = [
    { name: 'default', secret: locks.lock.secret, ...shared, ...brand, passkeys: 'on' },
    { name: 'plain', secret: randomBytes(20).toString('hex'), ...shared },
    { name: 'tokens', playerOrigins, ...brand, ...viewerTokens(url, locks) },
    ...(provider
      ? [{ name: 'company', secret: locks.companyLock.secret, ...shared, ...brand, ...singleSignOn(provider) }]
      : []),
  ]
  writeFileSync(file, `${JSON.stringify(entryPoints, null, 2)}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
  const others = Object.entries(settings).filter(([name]) => !OF_ENTRY_POINT.includes(name))
  return { ...Object.fromEntries(others), ENTRY_POINTS_FILE: file }
}

function viewerTokens(url: string, { contentKey }: DemoLocks): object {
  return {
    viewerAuth: 'token',
    contentKey,
    serviceViewerKeyUrl: `${url}/viewer-auth-public-key.json`,
    refAddresses: ['embed', 'chat', 'qna', 'combined'].map((component) => `${url}/${component}/`),
  }
}

function singleSignOn({ issuer, clients: [client] }: RunningProvider): object {
  return {
    oidcIssuer: issuer,
    oidcClientId: client?.clientId,
    oidcClientSecret: client?.secret,
    oidcLabel: 'Lakeside Media',
    ssoOnly: 'on',
    allowedGroups: ['staff'],
    // The player asks often, so that a logout at the provider shows soon.
    hashLifetimeSeconds: 300,
    ssoSessionSeconds: 3_600,
  }
}
