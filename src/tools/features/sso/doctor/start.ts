import type { EntryPoint } from '../../../../entry-points/entry-point.ts'
import { CALLBACK_PATH } from '../../../../features/sso/open-sso.ts'
import type { SsoSettings } from '../../../../features/sso/settings/sso-settings.ts'
import { screenAddress } from '../../../cli/doctor/app/screen.ts'
import type { DoctorConfig } from '../../../cli/doctor/feature-check.ts'
import { type Finding, failure, ok, PROXY_OR_SETTINGS } from '../../../cli/doctor/finding.ts'
import { postForm, reasonOn, request } from '../../../cli/doctor/request.ts'
import { addressOf } from '../../../cli/settings/chosen-entry-point.ts'

export type ChosenSsoEntryPoint = EntryPoint & { readonly sso: SsoSettings }

/** In the log of the app, as the reason of the refusal that ends the check. */
const ERROR_OF_DOCTOR = 'doctor'

/** Begins a sign-in as the frame does, and ends it with an answer that refuses. */
export async function* checkStart(
  config: DoctorConfig,
  entryPoint: ChosenSsoEntryPoint,
  signal: AbortSignal,
): AsyncGenerator<Finding> {
  const address = addressOf(config, entryPoint)
  const shown = new URL(screenAddress(config, entryPoint))
  shown.searchParams.set('prompt', 'sso')
  const screen = await request(shown.href, signal)
  // Other checks name the cause if there is no screen.
  if (!(screen instanceof Response) || screen.status !== 200) return
  const html = await screen.text()
  const [, flow] = /name="flow" value="([\w-]{43})"/.exec(html) ?? []
  if (flow === undefined) {
    return yield failure(
      'sso-no-button',
      `${address} has no button for single sign-on. The app runs with other settings. Restart it.`,
    )
  }
  if (!html.includes('name="wait"')) {
    yield failure(
      'form-fields-changed',
      `${address}: the button that goes on from the window has no field wait. ${PROXY_OR_SETTINGS}`,
    )
  }
  const started = await postForm(config, entryPoint, '/sso/start', { flow }, signal)
  if (!(started instanceof Response)) return yield started
  if (started.status !== 200) return yield await explainRefusal(started)
  const [, refresh = ''] = /^0; url=(.+)$/.exec(started.headers.get('refresh') ?? '') ?? []
  if (!URL.canParse(refresh)) {
    return yield failure(
      'sso-refresh-removed',
      'POST /sso/start has no header Refresh, so the window stays where it is until the viewer presses its link. A proxy removes it. Correct the proxy.',
    )
  }
  const { searchParams } = new URL(refresh)
  const redirectUri = new URL(CALLBACK_PATH, config.publicUrl).href
  const isSame =
    searchParams.get('client_id') === entryPoint.sso.clientId && searchParams.get('redirect_uri') === redirectUri
  if (!isSame) {
    return yield failure(
      'sso-start-differs',
      `The app sends viewers to the provider with another client or redirect URI. The app runs with other settings. Restart it.`,
    )
  }
  yield ok('sso-start', `The window of ${address} goes on to ${new URL(refresh).origin}.`)
  yield await checkCallback(redirectUri, started, { entryPoint, state: searchParams.get('state') ?? '', signal })
}

/** Ends the sign-in at the callback, which only the window with its cookie can do. */
async function checkCallback(
  redirectUri: string,
  started: Response,
  { entryPoint, state, signal }: { entryPoint: ChosenSsoEntryPoint; state: string; signal: AbortSignal },
): Promise<Finding> {
  const cookies = started.headers.getSetCookie().filter((cookie) => /^(__Host-)?sso-/.test(cookie))
  const lacking = ['Secure', 'HttpOnly', 'SameSite=Lax'].filter((name) => !`${cookies[0]}; `.includes(`; ${name}; `))
  if (lacking.length > 0) {
    const fact =
      cookies.length === 0 ? 'The window gets no cookie' : `The cookie of the window lacks ${lacking.join(', ')}`
    return failure(
      'sso-cookie-changed',
      `${fact}. A proxy removes or changes it, so no sign-in can end. Correct the proxy.`,
    )
  }
  const answer = new URLSearchParams({ error: ERROR_OF_DOCTOR, state, iss: entryPoint.sso.issuer })
  const Cookie = cookies.map((cookie) => cookie.split(';')[0]).join('; ')
  const ended = await request(`${redirectUri}?${answer}`, signal, { headers: { Cookie } })
  if (!(ended instanceof Response)) return ended
  const reason = reasonOn(await ended.text())
  if (reason === 'refused' || reason === 'invalid') {
    return ok('sso-callback', `${redirectUri} knows the sign-in that began in the same window.`)
  }
  if (reason === 'expired') {
    return failure(
      'sso-forgotten',
      `${redirectUri} does not know the sign-in that just began. Several copies of the app need a shared store in SESSION_STORE_URL or LIMITS_STORE_URL. Or a proxy removes the query.`,
    )
  }
  if (reason === 'no-cookie') {
    return failure(
      'sso-cookie-removed',
      `${redirectUri} does not get the cookie of the window. A proxy must pass the header Cookie.`,
    )
  }
  return failure(
    'sso-callback-hidden',
    `${redirectUri} answers ${ended.status} (${reason ?? 'not from the app'}). Let the proxy pass this path to the app, and see the log of the app.`,
  )
}

async function explainRefusal(answer: Response): Promise<Finding> {
  const reason = reasonOn(await answer.text())
  if (reason === undefined) {
    return failure(
      'sso-not-the-app',
      `The answer ${answer.status} to POST /sso/start does not come from the app. A proxy or a firewall answers. Let it pass the request on.`,
    )
  }
  if (answer.status === 403) {
    return failure(
      'sso-foreign-origin',
      `POST /sso/start got another header Origin than PUBLIC_URL. ${PROXY_OR_SETTINGS}`,
    )
  }
  return answer.status === 503
    ? failure(
        'sso-unavailable',
        'POST /sso/start answers 503: the app could not read the provider, or the shared store is away. See the log of the app. If this machine reaches the provider, let the app out of its network: with the containers of this kit, set STORES_INSIDE=false.',
      )
    : failure('sso-start-refused', `POST /sso/start answers ${answer.status} (${reason}). See the log of the app.`)
}
