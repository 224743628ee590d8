import { hash } from 'node:crypto'
import { type ClientAuth, ClientSecretBasic, ClientSecretPost, modifyAssertion, PrivateKeyJwt } from 'openid-client'
import { algorithmOf } from '../settings/client-key.ts'
import type { ClientAuthentication } from '../settings/sso-settings.ts'

/**
 * Returns how the app authenticates itself at the token endpoint: with its key, else with its secret in the way that the
 * provider accepts. `client_secret_basic` is the default of the standard.
 */
export async function clientAuthOf(authentication: ClientAuthentication): Promise<ClientAuth> {
  if (authentication.kind === 'secret') {
    const basic = ClientSecretBasic(authentication.secret)
    const post = ClientSecretPost(authentication.secret)
    return (server, ...rest) => {
      const accepted = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      const chosen = accepted.includes('client_secret_basic') || !accepted.includes('client_secret_post') ? basic : post
      chosen(server, ...rest)
    }
  }
  const { privateKey, certificate } = authentication
  const algorithm = algorithmOf(privateKey)
  if (algorithm === null) throw new TypeError('The start accepts only keys with an algorithm')
  const key = await crypto.subtle.importKey(
    'pkcs8',
    privateKey.export({ type: 'pkcs8', format: 'der' }),
    algorithm,
    false,
    ['sign'],
  )
  if (certificate === null) return PrivateKeyJwt(key)
  const thumbprints = {
    x5t: hash('sha1', certificate, 'base64url'),
    'x5t#S256': hash('sha256', certificate, 'base64url'),
  }
  return PrivateKeyJwt(key, { [modifyAssertion]: (header) => void Object.assign(header, thumbprints) })
}
