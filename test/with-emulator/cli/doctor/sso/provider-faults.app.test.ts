import { closedAddress, startService } from '../../../../tools/video-service/test-service.ts'
import { unknownCertificate } from '../faults/certificates.ts'
import { testFaults } from '../faults/fault-tests.ts'
import {
  answering,
  dated,
  discovering,
  NOT_TRIED,
  sayingError,
  sendingBack,
  settingsFor,
  withKey,
  withProvider,
} from './provider.ts'

const DISCOVERY = 'only the discovery document of the provider says so'

testFaults('the provider as the doctor sees it', [
  { name: 'single sign-on works, but no sign-in was tried', ...withProvider(), findings: [NOT_TRIED] },
  {
    name: 'nothing listens at the provider',
    settings: async () => settingsFor((await closedAddress()).origin),
    findings: ['failure sso-nothing-listens', 'failure sso-unavailable'],
  },
  {
    name: 'no authority signed the certificate of the provider',
    settings: async () =>
      settingsFor((await startService((_req, res) => res.end(), await unknownCertificate())).origin),
    findings: ['failure sso-certificate-untrusted', 'failure sso-unavailable'],
  },
  {
    name: 'OIDC_ISSUER has a path too many',
    settings: async (all) => {
      const { OIDC_ISSUER, ...rest } = (await withProvider().settings?.(all)) ?? {}
      return { ...rest, OIDC_ISSUER: `${OIDC_ISSUER}/tenant` }
    },
    findings: ['failure sso-no-discovery', 'failure sso-unavailable'],
  },
  {
    name: 'the provider thinks that it has another address',
    ...discovering({ issuer: 'http://keycloak:8080' }),
    findings: ['failure sso-issuer-differs', 'failure sso-unavailable'],
  },
  { name: 'the clock of the provider is a minute ahead', ...dated(60), findings: ['unknown sso-clock', NOT_TRIED] },
  {
    name: 'the clock of the provider is an hour behind',
    notForBrowsers: 'only the Date of the provider differs',
    ...dated(-3600),
    findings: ['failure sso-clock'],
  },
  {
    name: 'a cache keeps the discovery document for an hour, and counts its age',
    ...dated(-3600, { Age: '3600' }),
    findings: [NOT_TRIED],
  },
  {
    name: 'the provider sends no Date',
    ...withProvider({
      instead(_req, res) {
        res.sendDate = false
        return false
      },
    }),
    findings: ['unknown sso-clock-unknown', NOT_TRIED],
  },
  {
    name: 'nothing listens where the provider has its keys',
    settings: async (all) => {
      const { href } = await closedAddress()
      return (await discovering({ jwks_uri: href }).settings?.(all)) ?? {}
    },
    findings: ['failure sso-keys-away'],
  },
  {
    name: 'the provider has keys for encryption only',
    ...answering('/jwks', (res) => res.end('{"keys":[{"kty":"RSA","use":"enc"}]}')),
    findings: ['failure sso-no-keys'],
  },
  {
    name: 'nothing listens where the provider has user info',
    settings: async (all) => {
      const { href } = await closedAddress()
      return (await discovering({ userinfo_endpoint: href }).settings?.(all)) ?? {}
    },
    findings: ['unknown sso-user-info-away', NOT_TRIED],
  },
  {
    name: 'a proxy answers in place of user info',
    ...answering('/me', (res) => res.end('<h1>Welcome')),
    findings: ['unknown sso-user-info-away', NOT_TRIED],
  },
  {
    name: 'the provider has no user info',
    ...discovering({ userinfo_endpoint: undefined }),
    findings: [NOT_TRIED],
  },
  {
    name: 'the provider signs ID tokens with the client secret',
    ...discovering({ id_token_signing_alg_values_supported: ['HS256'] }),
    findings: ['failure sso-signing-algorithm'],
  },
  {
    name: 'the provider answers only with a form',
    notForBrowsers: DISCOVERY,
    ...discovering({ response_modes_supported: ['form_post'] }),
    findings: ['failure sso-response-mode'],
  },
  {
    name: 'the provider offers only plain PKCE',
    notForBrowsers: DISCOVERY,
    ...discovering({ code_challenge_methods_supported: ['plain'] }),
    findings: ['failure sso-no-s256'],
  },
  {
    name: 'the provider lists neither PKCE nor iss, as Entra ID',
    ...discovering({
      code_challenge_methods_supported: undefined,
      authorization_response_iss_parameter_supported: undefined,
    }),
    findings: [NOT_TRIED],
  },
  {
    name: 'the provider does not offer a scope',
    ...withProvider({}, { OIDC_SCOPES: 'openid profile email allatclaims' }),
    findings: ['unknown sso-scopes-unlisted', NOT_TRIED],
  },
  {
    name: 'the client may not have a scope',
    ...withProvider({ client: { scope: 'openid profile' } }),
    findings: ['failure sso-scope-refused'],
  },
  {
    name: 'the provider does not offer the claim with the user name',
    ...withProvider({}, { OIDC_USERNAME_CLAIM: 'upn' }),
    findings: ['unknown sso-claims-unlisted', NOT_TRIED],
  },
])

testFaults('the client at the provider', [
  { name: 'single sign-on works with a key', ...withKey({ isKnown: true }), findings: [NOT_TRIED] },
  {
    name: 'the provider does not accept the algorithm of the key',
    notForBrowsers: DISCOVERY,
    ...withKey({ isKnown: true, offered: ['PS256'] }),
    findings: ['failure sso-client-algorithm'],
  },
  {
    name: 'the redirect URI is not registered',
    ...withProvider({ redirectUri: 'https://login.example/sso/callback' }),
    findings: ['failure sso-redirect-uri-refused'],
  },
  {
    name: 'the provider does not know the client',
    ...withProvider({}, { OIDC_CLIENT_ID: 'another' }),
    findings: ['failure sso-client-unknown', 'failure sso-client-refused'],
  },
  {
    name: 'the provider shows a page that says nothing',
    ...answering('/auth', (res) => res.end('<h1>Welcome')),
    findings: ['unknown sso-redirect-uri-unseen', NOT_TRIED],
  },
  {
    name: 'the provider shows an error page with status 200, as Entra ID',
    ...answering('/auth', (res) => res.end('<script>$Config={"text":"AADSTS50011: The redirect URI"}</script>')),
    findings: ['failure sso-redirect-uri-refused'],
  },
  {
    name: 'the provider sends the browser on to another server',
    ...answering('/auth', (res) => res.writeHead(302, { location: 'https://login.company.example/' }).end()),
    findings: ['unknown sso-redirect-uri-unseen', NOT_TRIED],
  },
  {
    name: 'the client may not use an authorization code',
    ...sendingBack('unauthorized_client'),
    findings: ['failure sso-request-refused'],
  },
  {
    name: 'the provider knows another secret of the client',
    ...withProvider({}, { OIDC_CLIENT_SECRET: 'expired' }),
    findings: ['failure sso-client-refused'],
  },
  {
    name: 'the provider knows another key of the app',
    ...withKey({ isKnown: false }),
    findings: ['failure sso-client-refused'],
  },
  {
    name: 'the provider looks at the code before the client',
    ...sayingError('invalid_grant'),
    findings: ['unknown sso-client-unseen', NOT_TRIED],
  },
  {
    name: 'a proxy answers at the token endpoint of the provider',
    ...answering('/token', (res) => res.writeHead(502).end('Bad gateway')),
    findings: ['failure sso-token-away'],
  },
])
