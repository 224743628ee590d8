import { createRemoteGuard } from '../../remote/guard.ts'
import type { CheckedViewers, StoreChecks, StoreFinding } from '../../store-check/store-check.ts'
import type { HttpStoreSettings } from '../settings.ts'
import { openHttpStore, TokenRejected } from '../store.ts'

const LOOKS_LIKE_WRONG_PASSWORD =
  'A wrong token gets the answer to a wrong password. Check the token first, and refuse any other with the header ' +
  'WWW-Authenticate: Bearer error="invalid_token". Otherwise strangers can try passwords, or viewers read "wrong ' +
  'password" when the token is wrong.'
const TOKEN_ACCEPTED =
  'A wrong token is accepted. Check the token first: strangers could look up viewers and try passwords.'

/** Runs the interface of `openapi.yaml` against a login service, with the client of the app. */
export async function* checkHttpStore(
  settings: HttpStoreSettings,
  viewers: CheckedViewers,
  { checkStore, check, unknownName }: StoreChecks,
): AsyncGenerator<StoreFinding> {
  // A circuit breaker would hide the later faults behind the first ones.
  const options = { guard: createRemoteGuard({ timeoutMs: settings.timeoutMs, failures: Number.POSITIVE_INFINITY }) }
  let isReached = true
  for await (const finding of checkStore(
    () => Promise.resolve(openHttpStore(settings, options)),
    viewers,
    settings.timeoutMs,
  )) {
    yield finding.code === 'reachable' && finding.state === 'ok' ? { ...finding, text: reachedText(settings) } : finding
    if (finding.code === 'reachable') isReached = finding.state === 'ok'
  }
  if (!isReached) return
  const storeWithWrongToken = openHttpStore({ ...settings, token: 'a-wrong-token' }, options)
  try {
    yield await check('wrong-token', 'A sign-in with a wrong token is rejected.', () =>
      faultWithWrongToken(() => storeWithWrongToken.authenticate(unknownName(), 'a wrong password')),
    )
    const { find } = storeWithWrongToken
    if (find === undefined) return
    yield await check('wrong-token-look-up', 'A look-up with a wrong token is rejected.', () =>
      faultWithWrongToken(() => find(viewers.username ?? unknownName())),
    )
  } finally {
    await storeWithWrongToken.close()
  }
}

async function faultWithWrongToken(ask: () => Promise<object | null>): Promise<string | null> {
  try {
    const answer = await ask()
    const isRefusal = answer !== null && 'reason' in answer && answer.reason === 'wrong-credentials'
    return isRefusal ? LOOKS_LIKE_WRONG_PASSWORD : TOKEN_ACCEPTED
  } catch (error) {
    if (error instanceof TokenRejected) return null
    throw error
  }
}

/** The health check asks the look-up address, if there is one. */
function reachedText({ url, findUrl }: HttpStoreSettings): string {
  const { origin, protocol } = new URL(findUrl ?? url)
  return `${origin} answers${protocol === 'https:' ? ', and its certificate is valid' : ' without TLS, on this machine'}.`
}
