import type { Frame } from 'puppeteer-core'
import { onTestFinished } from 'vitest'
import { parseRefAddress } from '../../src/hash-lock/return-address.ts'
import { openTokenIssuers } from '../../src/token-issuer/token-issuers.ts'
import { press, type } from '../browser/press-and-type.ts'
import { startService } from '../emulator/player/service.ts'
import { ADA, startLoginApp } from '../login/start-login-app.ts'
import { TOKEN_ENTRY_POINT } from '../login/start-token-app.ts'

const CHANNEL = '/embed/1001'

/**
 * Starts the service and the login app until the test ends. With the customer's page, they are three sites.
 * @param publicKey of the channel at the service, in PEM form.
 */
export async function startThreeSites(publicKey: string, { hasScript = true } = {}) {
  const service = await startService()
  onTestFinished(() => service.close())
  const { url, port } = service.emulator
  const nowSeconds = () => Date.now() / 1000
  const serviceKeyUrl = `${url}/viewer-auth-public-key.json`
  const log = { info: () => {}, warn: () => {} }
  const issuers = await openTokenIssuers([{ serviceKeyUrl }], { nowSeconds, log })
  onTestFinished(issuers.close)
  const app = await startLoginApp({
    publicUrl: 'http://localhost',
    entryPoints: [
      {
        ...TOKEN_ENTRY_POINT,
        hasScript,
        serviceKeyUrl,
        refAddresses: [parseRefAddress(`${url}${CHANNEL}`)],
        // Not the player: its own frame comes to the login app.
        playerOrigins: [`http://page.localhost:${port}`],
      },
    ],
    nowSeconds,
    tokenIssuerOf: issuers.issuerOf,
  })
  const login = `http://localhost:${app.port}/`
  service.database.prepare('INSERT INTO viewer_auth VALUES (?, ?, ?, ?)').run('live', 1001, login, publicKey)
  return {
    login,
    player: `${url}${CHANNEL}`,
    page: `http://page.localhost:${port}/channel/1001`,
    outcomes: () => app.lines.flatMap(({ outcome }) => outcome ?? []),
  }
}

export async function signIn(screen: Frame, password: string): Promise<void> {
  await type(screen, '#username', ADA.username)
  await type(screen, '#password', password)
  await press(screen, '#sign-in .primary')
}
