import { expect } from 'vitest'
import type { EntryPoint } from '../../../src/entry-points/entry-point.ts'
import { token } from '../../../src/features/token/feature.ts'
import type { TokenSettings } from '../../../src/features/token/fields.ts'
import {
  createTokenIssuer,
  type TokenIssuer,
  tokenQueueOptions,
} from '../../../src/features/token/issuer/token-issuers.ts'
import { createTokenAnswer } from '../../../src/features/token/token-answer.ts'
import { TOKEN_LIFETIME_SECONDS } from '../../../src/features/token/viewer-token/viewer-token.ts'
import { features } from '../../../src/features.ts'
import type { Feature } from '../../../src/login/feature.ts'
import { createQueue } from '../../../src/server/work-queue.ts'
import { type LoginApp, type LoginAppOptions, START_SECONDS, startLoginApp } from '../../login/start-login-app.ts'
import { TOKEN_ENTRY_POINT } from './entry-point.ts'
import { claimsOf } from './viewer-token/jose-tokens.ts'
import { BUILD_KEYS } from './viewer-token/token-keys.ts'

export const REF = 'https://player.example/embed/1234?a=%20+~&b'

/** A real issuer, which a test can make fail. */
export interface TestIssuer extends TokenIssuer {
  fault: Error | null
  /** How often the app asked for the keys of the service. */
  refetches: number
}

export function createTestIssuer(nowSeconds: () => number): TestIssuer {
  const serviceKeys = {
    newest() {
      if (issuer.fault !== null) throw issuer.fault
      return BUILD_KEYS.serviceKey
    },
    refetch() {
      issuer.refetches += 1
    },
  }
  const queue = createQueue(tokenQueueOptions())
  const built = createTokenIssuer(TOKEN_ENTRY_POINT, serviceKeys, queue, nowSeconds)
  const issuer: TestIssuer = { fault: null, refetches: 0, ...built }
  return issuer
}

/** Returns the feature with other issuers than its own. */
export function tokensFrom(issuerOf: (settings: TokenSettings) => TokenIssuer): readonly Feature[] {
  const at = (_entryPoint: EntryPoint, settings: TokenSettings) => ({
    answer: createTokenAnswer(settings, issuerOf(settings)),
  })
  return [...features.filter(({ name }) => name !== 'token'), { ...token, open: () => Promise.resolve({ at }) }]
}

/** Starts the login app with an entry point that answers with tokens. */
export async function startTokenApp(options: LoginAppOptions = {}): Promise<LoginApp & { issuer: TestIssuer }> {
  let nowSeconds = () => START_SECONDS
  const issuer = createTestIssuer(() => nowSeconds())
  const app = await startLoginApp({ entryPoints: [TOKEN_ENTRY_POINT], features: tokensFrom(() => issuer), ...options })
  nowSeconds = options.nowSeconds ?? (() => app.clock.seconds)
  return { ...app, issuer }
}

/** Checks the key and the age of the token in a redirect. Returns the address without the token, and the viewer. */
export async function tokenIn(
  location: string | undefined,
  nowSeconds = START_SECONDS,
): Promise<{ address: string; subject: string }> {
  const [address = '', token = '', ...more] = (location ?? '').split(/[?&]vt=/)
  expect(more).toEqual([])
  const { sub, iat } = await claimsOf(decodeURIComponent(token))
  expect(nowSeconds - iat).toBeGreaterThanOrEqual(0)
  expect(nowSeconds - iat).toBeLessThan(TOKEN_LIFETIME_SECONDS)
  return { address, subject: sub }
}
