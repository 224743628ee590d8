import type { Finding } from './finding.ts'

/** Codes of findings that follow from others. */
const CAUSES: Readonly<Record<string, readonly string[]>> = {
  'no-sign-in-screen': ['ref-refused'],
  refused: ['ref-refused'],
  // Without a key of the service, the app answers 503 to every sign-in.
  'store-away': ['service-keys', 'app-without-service-keys'],
  'viewer-auth-key': ['service-keys-differ'],
  // Without a key of the service, the doctor builds no token for the player.
  'viewer-auth-unproven': ['service-keys'],
  'token-refused': ['service-keys-differ', 'viewer-auth-key', 'token-clock-ahead', 'token-clock-behind'],
  'player-asks-nothing': [
    'viewer-auth-elsewhere',
    'lock-leads-elsewhere',
    'channel-unknown',
    'no-own-lock',
    'player-asks-nothing',
  ],
  'player-address-unseen': ['viewer-auth-unseen', 'viewer-auth-elsewhere', 'player-asks-nothing'],
}

/** True if an earlier finding already names the cause. */
export function isConsequence({ code, entryPoint }: Finding, earlier: readonly Finding[]): boolean {
  const causes = CAUSES[code] ?? []
  return earlier.some(
    (one) => one.state !== 'ok' && causes.includes(one.code) && (one.entryPoint ?? entryPoint) === entryPoint,
  )
}
