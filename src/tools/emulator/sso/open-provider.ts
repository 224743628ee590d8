import { generateKeyPair, type KeyObject, sign } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import type { ClientMetadata, Configuration, KoaContextWithOIDC as Context, JWK, Provider } from 'oidc-provider'
import { claimsOf, claimsOfScopes, subjectOf, type TestPerson } from './people.ts'

/** An application that sends people to the provider. */
export interface ProviderClient {
  readonly clientId: string
  /** For `client_secret_basic`. A client without a secret uses `private_key_jwt`. */
  readonly secret?: string
  /** The public key of a client without a secret. */
  readonly publicKey?: JWK
  /** Compared exactly. */
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris?: readonly string[]
  /** Receives a logout token for each session that ends. */
  readonly backchannelLogoutUri?: string
}

export interface ProviderDeps {
  readonly issuer: string
  readonly clients: readonly ProviderClient[]
  readonly people: readonly TestPerson[]
  /** Renders a page of the provider as HTML. */
  readonly renderPage: (name: 'sign-in' | 'message', locals: Readonly<Record<string, unknown>>) => Promise<string>
  /** Called with internal errors, and with logout tokens that a client did not accept. */
  readonly onError: (error: unknown) => void
}

const HOUR_SECONDS = 3_600

/**
 * Loads the package and opens a provider that keeps everything in memory. Both take about 0.3 s, so the caller waits
 * until the first request.
 */
export async function openProvider(deps: ProviderDeps): Promise<Provider> {
  const [{ Provider, interactionPolicy }, { createMemoryAdapter }, { privateKey }] = await Promise.all([
    import('oidc-provider'),
    import('oidc-provider/lib/adapters/memory_adapter.js'),
    promisify(generateKeyPair)('rsa', { modulusLength: 2048 }),
  ])
  const policy = interactionPolicy.base()
  policy.remove('consent')
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0)
  const provider: Provider = new Provider(deps.issuer, {
    ...configurationOf(deps),
    adapter: createMemoryAdapter(),
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    interactions: {
      policy,
      url: (_ctx, { uid }) => `${new URL(deps.issuer).pathname}/interaction/${uid}`,
    },
    // No page asks for consent, as if an administrator had given it for all people.
    async loadExistingGrant({ oidc }) {
      const accountId = oidc.result?.login?.accountId ?? oidc.session?.accountId
      if (accountId === undefined || oidc.client === undefined) return undefined
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId })
      grant.addOIDCScope([...oidc.requestParamScopes])
      await grant.save()
      return grant
    },
  })
  applyChangeFaults(provider, privateKey)
  provider.on('server_error', (_ctx, error) => deps.onError(error))
  provider.on('backchannel.error', (_ctx, error) => deps.onError(error))
  return provider
}

/** Returns the part of the configuration that needs nothing of the package. */
function configurationOf({ clients, people, renderPage }: ProviderDeps): Configuration {
  const showMessage = async (ctx: Context, title: string, text: string, form?: string) => {
    ctx.type = 'html'
    ctx.body = await renderPage('message', { title, text, form })
  }
  return {
    clients: clients.map(registrationOf),
    clientAuthMethods: ['client_secret_basic', 'private_key_jwt'],
    claims: claimsOfScopes(people),
    // Against OpenID Connect 5.4, and as at most providers, all claims are in the ID token.
    conformIdTokenClaims: false,
    findAccount(_ctx, accountId) {
      const person = people.find(({ username }) => subjectOf(username) === accountId)
      return person && { accountId, claims: () => ({ ...claimsOf(person), sub: accountId }) }
    },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => showMessage(ctx, 'Sign out?', 'This ends your session here.', form),
        postLogoutSuccessSource: (ctx) => showMessage(ctx, 'Signed out', 'You can close this window.'),
      },
    },
    pkce: { required: () => true },
    responseTypes: ['code'],
    scopes: ['openid'],
    ttl: {
      AccessToken: HOUR_SECONDS,
      AuthorizationCode: 60,
      Grant: HOUR_SECONDS,
      IdToken: HOUR_SECONDS,
      Interaction: HOUR_SECONDS,
      Session: 24 * HOUR_SECONDS,
    },
    clientBasedCORS: () => false,
    // The package's own fetch refuses loopback addresses.
    fetch: (address, { dispatcher, ...options } = {}) => fetch(address, options),
    renderError: (ctx, { error, error_description: text }) =>
      showMessage(ctx, 'Sign-in is not possible', `${error}: ${text}`),
  }
}

function registrationOf(client: ProviderClient): ClientMetadata {
  return {
    client_id: client.clientId,
    redirect_uris: client.redirectUris,
    post_logout_redirect_uris: client.postLogoutRedirectUris ?? [],
    response_types: ['code'],
    grant_types: ['authorization_code'],
    ...(client.secret !== undefined
      ? { token_endpoint_auth_method: 'client_secret_basic', client_secret: client.secret }
      : {
          token_endpoint_auth_method: 'private_key_jwt',
          jwks: { keys: client.publicKey === undefined ? [] : [client.publicKey] },
        }),
    ...(client.backchannelLogoutUri !== undefined && {
      backchannel_logout_uri: client.backchannelLogoutUri,
      backchannel_logout_session_required: true,
    }),
  }
}

/** Applies faults with `change`: in the parameters of the redirect, and in the claims of the ID token. */
function applyChangeFaults(provider: Provider, key: KeyObject): void {
  provider.on('authorization.success', ({ res }, answer = {}) => {
    Object.assign(answer, changeOf(res))
  })
  provider.on('grant.success', (ctx) => {
    const change = changeOf(ctx.res)
    const answer: unknown = ctx.body
    if (change === undefined || typeof answer !== 'object' || answer === null || !('id_token' in answer)) return
    ctx.body = { ...answer, id_token: signAgain(String(answer.id_token), change, key) }
  })
}

/** Reads what the faults left in the response of Express. */
function changeOf(res: ServerResponse & { locals?: Record<string, unknown> }): Record<string, unknown> | undefined {
  const change = res.locals?.change
  if (typeof change !== 'object' || change === null) return undefined
  // Undefined leaves a field out.
  return Object.fromEntries(Object.entries(change).map(([name, value]) => [name, value ?? undefined]))
}

function signAgain(token: string, change: Record<string, unknown>, key: KeyObject): string {
  const [header = '', payload = ''] = token.split('.')
  const claims: object = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  const changed = `${header}.${Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url')}`
  return `${changed}.${sign('sha256', Buffer.from(changed), key).toString('base64url')}`
}
