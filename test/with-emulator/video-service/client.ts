import { onTestFinished } from 'vitest'
import { type RunningEmulator, startEmulator } from '../../../src/tools/emulator/start-emulator.ts'
import { requestToken } from '../../../src/tools/video-service/access-token.ts'
import { createRestApi, type RestApi } from '../../../src/tools/video-service/rest-api.ts'
import type { ServiceSettings } from '../../../src/tools/video-service/service-settings.ts'
import { createTransport } from '../../../src/tools/video-service/transport.ts'

export const nowSeconds = () => Date.now() / 1000
export const send = createTransport({ firstWaitMs: 1 })

/** Starts an emulator, and stops it at the end of the test. */
export async function emulatorOfTest(views = 0, isStrict = false): Promise<RunningEmulator> {
  const emulator = await startEmulator({ port: 0, seed: { views }, isStrict })
  onTestFinished(() => emulator.close())
  return emulator
}

/** Settings of the first seeded client, which belongs to the user `studio`. */
export function settingsFor({ url, seed }: RunningEmulator, owner = 'studio'): ServiceSettings {
  const client = seed.clients.find((one) => one.owner === owner)
  if (client === undefined) throw new Error(`${owner} has no client`)
  const addresses = { authUrl: url, oauthUrl: url, baseUrl: url, analyticsUrl: `${url}/v1` }
  return {
    ...addresses,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    basicForm: 'standard',
    bearerForm: 'standard',
    accessToken: null,
    loginFile: null,
  }
}

/** The same settings as environment variables. */
export function environmentFor(emulator: RunningEmulator): Record<string, string> {
  const settings = settingsFor(emulator)
  return {
    SERVICE_AUTH_URL: settings.authUrl,
    SERVICE_OAUTH_URL: settings.oauthUrl,
    SERVICE_BASE_URL: settings.baseUrl,
    SERVICE_ANALYTICS_URL: settings.analyticsUrl,
    SERVICE_CLIENT_ID: settings.clientId,
    SERVICE_CLIENT_SECRET: settings.clientSecret,
  }
}

export function apiOf(emulator: RunningEmulator, type: 'bearer' | 'mac' = 'bearer', owner = 'studio'): RestApi {
  const settings = settingsFor(emulator, owner)
  const token = () => requestToken({ settings, send, nowSeconds }, { grant: 'client_credentials', type })
  return createRestApi({ settings, send, token, nowSeconds })
}

/** Makes the emulator answer requests to a path with an error, late or not at all. */
export async function addFault({ url }: RunningEmulator, fault: object): Promise<void> {
  const response = await fetch(`${url}/emulator/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fault),
  })
  if (response.status !== 201) throw new Error(await response.text())
}
