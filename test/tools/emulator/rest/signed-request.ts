import { createHmac, randomUUID } from 'node:crypto'

interface Credentials {
  readonly access_token?: unknown
  readonly mac_key?: unknown
}

export interface ToSign {
  readonly method: string
  readonly path: string
  readonly host: string
  readonly port: number
  readonly ts?: number
  readonly nonce?: string
  readonly ext?: string
}

/** Signs a request by draft-ietf-oauth-v2-http-mac-02, without code of the emulator. */
export function signedHeader(credentials: Credentials, request: ToSign): string {
  const { method, path, host, port, ts = Math.floor(Date.now() / 1000), nonce = randomUUID(), ext = '' } = request
  const text = `${ts}\n${nonce}\n${method}\n${path}\n${host}\n${port}\n${ext}\n`
  const mac = createHmac('sha1', String(credentials.mac_key)).update(text).digest('base64')
  const extPart = ext === '' ? '' : `ext="${ext}", `
  return `MAC id="${credentials.access_token}", ts="${ts}", nonce="${nonce}", ${extPart}mac="${mac}"`
}
