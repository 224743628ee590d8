import { type Configuration, randomNonce, randomPKCECodeVerifier, randomState } from 'openid-client'
import { authorizationAddress } from '../../../../features/sso/provider/authorization-request.ts'
import type { SsoSettings } from '../../../../features/sso/settings/sso-settings.ts'
import { type Finding, failure, ok, unknown } from '../../../cli/doctor/finding.ts'
import { request } from '../../../cli/doctor/request.ts'

/** Answers of a provider that knows the client and its redirect URI, but no viewer (OpenID Connect Core, 3.1.2.6). */
const KNOWS_NO_VIEWER = /^(login|interaction|consent)_required$|^account_selection_required$/
/** On an error page: the redirect URI (also Google and Entra ID), and the client. */
const ABOUT_REDIRECT_URI = /redirect[_ ]?ur[il]|redirection uri|AADSTS50011/i
const ABOUT_CLIENT = /invalid_client|unauthorized_client|client.{0,20}not found|AADSTS700016/i

/**
 * Begins a sign-in that may show nothing (`prompt=none`). A provider that knows the redirect URI sends the browser back to
 * it with an error. Without a registration, a provider must not redirect, and shows an error page instead.
 */
export async function checkRegistration(
  provider: Configuration,
  settings: SsoSettings,
  redirectUri: string,
  signal: AbortSignal,
): Promise<Finding> {
  const secrets = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() }
  const parameters = { ...secrets, wantsOtherAccount: false, language: 'en' }
  const address = authorizationAddress(provider, settings, redirectUri, parameters)
  address.searchParams.set('prompt', 'none')
  const answer = await request(address.href, signal)
  const place = address.origin + address.pathname
  if (!(answer instanceof Response)) {
    return failure('sso-authorization-away', `The sign-in page of the provider cannot be reached. ${answer.text}`)
  }
  const location = answer.headers.get('location')
  if (location !== null && URL.canParse(location, place)) {
    return judgeRedirect(new URL(location, place), redirectUri, settings)
  }
  const page = await answer.text()
  return judgePage(answer.status, page, { place, redirectUri, clientId: settings.clientId })
}

function judgeRedirect(target: URL, redirectUri: string, { scopes }: SsoSettings): Finding {
  const error = (target.searchParams.get('error') ?? '').replace(/[^\w-]/g, '').slice(0, 60)
  if (target.origin + target.pathname !== redirectUri) {
    return unknown(
      'sso-redirect-uri-unseen',
      `The provider sends the browser on to ${target.origin}${target.pathname}, so it cannot be seen from here if ${redirectUri} is registered there. Sign in once.`,
    )
  }
  if (error === '' || KNOWS_NO_VIEWER.test(error)) {
    return ok('sso-redirect-uri', `The provider knows the client, and the redirect URI ${redirectUri}.`)
  }
  return error === 'invalid_scope'
    ? failure(
        'sso-scope-refused',
        `The provider refuses the scopes ${scopes}. Allow them for the client, or set OIDC_SCOPES.`,
      )
    : failure(
        'sso-request-refused',
        `The provider knows the redirect URI, but refuses the request of the app (${error}). Look at the settings of the client: authorization code, grant types, PKCE.`,
      )
}

function judgePage(
  status: number,
  page: string,
  { place, redirectUri, clientId }: { place: string; redirectUri: string; clientId: string },
): Finding {
  const text = status < 400 ? visibleText(page) : page
  if (ABOUT_CLIENT.test(text) && status < 500) {
    return failure(
      'sso-client-unknown',
      `${place} answers ${status}: it does not know the client ${clientId}. Correct OIDC_CLIENT_ID.`,
    )
  }
  if (ABOUT_REDIRECT_URI.test(text) && status < 500) {
    return failure(
      'sso-redirect-uri-refused',
      `${place} answers ${status} with a page about the redirect URI. Register ${redirectUri} at the provider, exactly so.`,
    )
  }
  return unknown(
    'sso-redirect-uri-unseen',
    `${place} answers ${status} with a page, so it cannot be seen from here if ${redirectUri} is registered there. Sign in once.`,
  )
}

/** Leaves out fields and scripts, in which a sign-in form carries the request. Keeps the error codes of Entra ID. */
function visibleText(page: string): string {
  const codes = page.match(/AADSTS\d+/g) ?? []
  return [page.replace(/<(script|style)\b.*?<\/\1>|<[^>]*>/gis, ' '), ...codes].join(' ')
}
