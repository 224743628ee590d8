import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { FIRST_PASSWORD_WAY } from '../../users/password-ways.ts'
import type { WayIn } from '../../way-in.ts'
import { CONTENT_KEY } from './viewer-token/jwcrypto-vectors.ts'
import { BUILD_KEYS } from './viewer-token/token-keys.ts'

const REF = 'https://player.example/embed/1002'

/** Publishes the keys that tokens are encrypted with, as the video service does. @returns their address. */
async function startKeyServer(): Promise<string> {
  const { kid, publicKey } = BUILD_KEYS.serviceKey
  const keys = [{ ...publicKey.export({ format: 'jwk' }), use: 'enc', kid }]
  const server = createServer((_req, res) => void res.end(JSON.stringify({ keys }))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys.json`
}

export const tokenWay: WayIn = {
  name: 'a viewer token',
  async prepare(origin, folder) {
    const { settings, signIn } = await FIRST_PASSWORD_WAY.prepare(origin, folder)
    const token = {
      VIEWER_AUTH: 'token',
      CONTENT_KEY: CONTENT_KEY.export({ type: 'pkcs8', format: 'pem' }).toString(),
      SERVICE_VIEWER_KEY_URL: await startKeyServer(),
      REF_ADDRESSES: REF,
    }
    return {
      settings: { ...settings, ...token },
      screen: `/?ref=${encodeURIComponent(REF)}`,
      ...(signIn && { signIn: (app) => signIn(app, { ref: REF }) }),
    }
  },
}
