import type { JWK } from 'oidc-provider'
import { startProvider } from '../start-provider.ts'
import { visitProvider } from '../start-sso.ts'
import { providerContract } from './provider-contract.ts'

providerContract('the npm package oidc-provider', async ({ redirectUri, publicKey }) => {
  const client = publicKey && {
    token_endpoint_auth_method: 'private_key_jwt' as const,
    token_endpoint_auth_signing_alg: 'ES256' as const,
    jwks: { keys: [{ ...(publicKey.export({ format: 'jwk' }) as JWK), alg: 'ES256', use: 'sig' }] },
  }
  const { issuer } = await startProvider({ redirectUri, signsIn: 'ada', ...(client && { client }) })
  return { issuer, username: 'ada@example.com', group: 'gold', visit: visitProvider }
})
