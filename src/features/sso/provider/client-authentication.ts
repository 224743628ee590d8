import { hash } from 'node:crypto'
import { type ClientAuth, ClientSecretPost, modifyAssertion, PrivateKeyJwt } from 'openid-client'
import { algorithmsOf, KEY_ALGORITHMS } from '../settings/client-key.ts'
import type { ClientAuthentication } from '../settings/sso-settings.ts'

/**
 * Returns how the app authenticates itself at the token endpoint: with its key, else with its secret in the way that the
 * provider accepts. `client_secret_basic` is the default of the standard.
 */
export function clientAuthOf(authentication: ClientAuthentication): ClientAuth {
  if (authentication.kind === 'secret') {
    const basic = clientSecretBasic(authentication.secret)
    const post = ClientSecretPost(authentication.secret)
    return (server, ...rest) => {
      const accepted = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
      const chosen = accepted.includes('client_secret_basic') || !accepted.includes('client_secret_post') ? basic : post
      chosen(server, ...rest)
    }
  }
  const { privateKey, certificate, algorithm = algorithmsOf(privateKey)[0] } = authentication
  if (algorithm === undefined) throw new TypeError('The start accepts only keys with an algorithm')
  const key = privateKey.toCryptoKey(KEY_ALGORITHMS[algorithm], false, ['sign'])
  const thumbprints = certificate && {
    x5t: hash('sha1', certificate, 'base64url'),
    'x5t#S256': hash('sha256', certificate, 'base64url'),
  }
  return (server, ...rest) =>
    PrivateKeyJwt(key, {
      [modifyAssertion](header, payload) {
        Object.assign(header, thumbprints)
        // openid-client writes the issuer, which Okta and other providers refuse.
        payload.aud = server.token_endpoint ?? server.issuer
      },
    })(server, ...rest)
}

/**
 * Like `ClientSecretBasic` of openid-client, which also encodes "-", "_", "." and "~". The standard allows both
 * (RFC 6749, appendix B), but some providers do not decode, and nearly every id and secret has such a character.
 */
function clientSecretBasic(secret: string): ClientAuth {
  const encode = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')
  return (_server, { client_id: clientId }, _body, headers) => {
    const credentials = `${encode(clientId)}:${encode(secret)}`
    headers.set('Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`)
  }
}
