import { randomBytes } from 'node:crypto'
import { macAuthorization } from './mac-signature.ts'
import type { ServiceAnswer, ServiceRequest } from './service-request.ts'
import type { ApiCredential, ServiceSettings } from './service-settings.ts'
import type { Transport } from './transport.ts'

export interface RestDeps {
  readonly settings: Pick<ServiceSettings, 'baseUrl' | 'bearerForm'>
  readonly send: Transport
  readonly token: (signal?: AbortSignal) => Promise<ApiCredential>
  /** UNIX time in seconds. */
  readonly nowSeconds: () => number
}

export interface RestRequest extends Pick<ServiceRequest, 'method' | 'form' | 'signal'> {
  /** Relative to `{base_url}`, with a leading slash. Ids are already encoded. */
  readonly path: string
}

/** Sends a request to the REST API, with the token as its type requires. */
export type RestApi = (request: RestRequest) => Promise<ServiceAnswer>

/**
 * Errors are those of Transport. The settings accept only https and loopback, so a token never crosses a network in
 * plaintext.
 */
export function createRestApi({ settings, send, token, nowSeconds }: RestDeps): RestApi {
  return async function callRest({ method, path, form, signal }) {
    const url = new URL(settings.baseUrl + path)
    const current = await token(signal)
    const nonce = randomBytes(12).toString('hex')
    const timestampSeconds = Math.floor(nowSeconds())
    const authorization =
      current.type === 'mac'
        ? macAuthorization(current.mac, { method, url, timestampSeconds, nonce })
        : settings.bearerForm === 'bare'
          ? current.value
          : `Bearer ${current.value}`
    const headers = { Authorization: authorization, Accept: 'application/json' }
    return await send({ method, url, headers, signal, form })
  }
}
