import { type AccessToken, requestToken, type TokenDeps } from '../../../video-service/access-token.ts'
import {
  authorizationAddress,
  newProofKey,
  newState,
  readCode,
  readImplicitToken,
} from '../../../video-service/authorization-page.ts'
import { AuthorizationFailed, ServiceRefusal, UnexpectedAnswer } from '../../../video-service/service-errors.ts'
import type { ServiceSettings } from '../../../video-service/service-settings.ts'
import type { Refused } from '../../terminal/command.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { readKnownPassword, readPastedAddress } from '../../terminal/read-password.ts'
import { canListenOn, listenOnLoopback, type RedirectReceiver } from './redirect-receiver.ts'
import type { TokenChoice } from './token-choice.ts'

/** Long, because the user may have to look for a password first. */
const USER_TIMEOUT_MS = 600_000

interface Deps extends TokenDeps {
  readonly settings: ServiceSettings
  readonly signal: AbortSignal
}

export type TokenResult = { readonly ok: true; readonly token: AccessToken } | Refused

/**
 * Requests the chosen token. Asks the user for a password, or to open the authorization page, if the grant needs it.
 * @throws as requestToken() and readCode().
 */
export async function obtainToken(io: CommandIo, deps: Deps, choice: TokenChoice): Promise<TokenResult> {
  const { grant, type, username = '', scope } = choice
  const options = { signal: deps.signal, scope }
  if (grant === 'client_credentials') return { ok: true, token: await requestToken(deps, { grant, type }, options) }
  if (grant !== 'password') return { ok: true, token: await tokenFromAuthorizationPage(io, deps, choice, grant) }
  const read = await readKnownPassword(io, 'SERVICE_PASSWORD', `${username} at the video service`)
  if (!read.ok) return read
  return { ok: true, token: await requestToken(deps, { grant, type, username, password: read.text }, options) }
}

async function tokenFromAuthorizationPage(
  io: CommandIo,
  { settings, send, nowSeconds, signal }: Deps,
  { type, scope, redirectUri: wanted, pkce }: TokenChoice,
  grant: 'authorization_code' | 'implicit',
): Promise<AccessToken> {
  const isListening = wanted === undefined || canListenOn(wanted)
  const receiver = isListening ? await listenOnLoopback(wanted) : receivePasted(io, wanted)
  try {
    const state = newState()
    const { redirectUri } = receiver
    const proof = pkce ? newProofKey() : undefined
    const address = authorizationAddress(settings, {
      responseType: grant === 'implicit' ? 'token' : 'code',
      redirectUri,
      state,
      codeChallenge: proof?.challenge,
      tokenType: type === 'mac' ? type : undefined,
      scope,
    })
    await refuseEarly(send, address, redirectUri, signal)
    const where = isListening ? 'in a browser on this machine' : 'in a browser'
    io.stderr.write(`Open this address ${where}, sign in and allow the access:\n${address}\n`)
    const redirect = await receiver.redirected(state, AbortSignal.any([signal, AbortSignal.timeout(USER_TIMEOUT_MS)]))
    if (grant === 'implicit') return readImplicitToken(redirect, state, nowSeconds())
    const question = { grant, code: readCode(redirect, state), redirectUri, codeVerifier: proof?.verifier }
    return await requestToken({ settings, send, nowSeconds }, question, { signal })
  } finally {
    receiver.close()
  }
}

/**
 * Asks for the page once, so that a refused address ends the command now, and not in the browser. The page shows such a
 * mistake with status 400. Every other answer proves nothing.
 */
async function refuseEarly(
  send: Deps['send'],
  address: string,
  redirectUri: string,
  signal: AbortSignal,
): Promise<void> {
  const timeoutMs = 5_000
  const error: unknown = await send({ method: 'GET', url: new URL(address), timeoutMs, signal }).catch((fault) => fault)
  if (!(error instanceof UnexpectedAnswer || error instanceof ServiceRefusal) || error.status !== 400) return
  throw new AuthorizationFailed(
    `The authorization page refuses the client id, or the address ${redirectUri}. Use --redirect-uri with an address that starts with a prefix registered for the client, character by character, its port too`,
  )
}

/** Lets the user paste the address of the redirect, which only the browser sees. */
function receivePasted(io: CommandIo, redirectUri: string): RedirectReceiver {
  return {
    redirectUri,
    async redirected() {
      io.stderr.write('Then copy the whole address that the browser shows, even if its page does not load.\n')
      const read = await readPastedAddress(io)
      if (!read.ok) throw new AuthorizationFailed(read.fault)
      if (URL.canParse(read.text)) return new URL(read.text)
      throw new AuthorizationFailed('This is not an address. Start again, and paste the whole address of the browser')
    },
    close() {},
  }
}
