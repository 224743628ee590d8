import { randomBytes } from 'node:crypto'
import type { AccessToken } from './access-token.ts'
import { macAuthorization } from './mac-signature.ts'
import type { ServiceAnswer, ServiceRequest } from './service-request.ts'
import type { ServiceSettings } from './service-settings.ts'
import type { Transport } from './transport.ts'

export interface RestDeps {
  readonly settings: Pick<ServiceSettings, 'baseUrl'>
  readonly send: Transport
  readonly token: (signal?: AbortSignal) => Promise<AccessToken>
  /** UNIX time in seconds. */
  readonly nowSeconds: () => number
}

export interface RestRequest extends Pick<ServiceRequest, 'method' | 'form' | 'signal'> {
  /** Below `{base_url}`, beginning with a slash; ids in it already encoded. */
  readonly path: string
  readonly accept?: string
}

/** Sends a request of the REST API with the token in the form of its kind. */
export type RestApi = (request: RestRequest) => Promise<ServiceAnswer>

/** @throws as Transport. A bearer token goes over https or loopback only: the settings admit no other address. */
export function createRestApi({ settings, send, token, nowSeconds }: RestDeps): RestApi {
  return async function callRest({ method, path, form, signal, accept = 'application/json' }) {
    const url = new URL(settings.baseUrl + path)
    const current = await token(signal)
    const nonce = randomBytes(12).toString('hex')
    const timestampSeconds = Math.floor(nowSeconds())
    const authorization =
      current.type === 'mac'
        ? macAuthorization(current.mac, { method, url, timestampSeconds, nonce })
        : `Bearer ${current.value}`
    const headers = { Authorization: authorization, Accept: accept }
    return await send({ method, url, headers, signal, ...(form === undefined ? {} : { form }) })
  }
}
