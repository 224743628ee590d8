import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ADA } from '../../login/start-login-app.ts'
import { runHere } from '../../tools/cli/run-here.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { startLoginAppBehindProxy } from '../cli/login-app-behind-proxy.ts'
import { emulatorOfTest } from '../video-service/client.ts'

const newKey = () =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const go = (address: string, headers: Record<string, string> = {}) => fetch(address, { redirect: 'manual', headers })
const locationOf = (answer: Response) => answer.headers.get('location') ?? ''

test('after a change of the key with the address, a viewer on the way passes at the new entry point', async () => {
  const emulator = await emulatorOfTest()
  const cwd = temporaryFolder()
  const serviceViewerKeyUrl = `${emulator.url}/viewer-auth-public-key.json`
  const entryPoint = (name: string) => ({
    name,
    viewerAuth: 'token',
    contentKey: newKey(),
    serviceViewerKeyUrl,
    refAddresses: [`${emulator.url}/embed/1002`],
    playerOrigins: [emulator.url],
  })
  const file = join(cwd, 'entry-points.json')
  writeFileSync(file, JSON.stringify([entryPoint('old'), entryPoint('new')]), { mode: 0o600 })
  const env = await startLoginAppBehindProxy(emulator, {
    settings: { ENTRY_POINTS_FILE: file },
    without: ['HASH_SECRET', 'PLAYER_RETURN_URL', 'PLAYER_ORIGINS'],
  })
  const lockSet = (name: string) =>
    runHere(['lock', 'set', '--channel', '1002', '--viewer-auth', 'token', '--entry-point', name, '--yes'], {
      cwd,
      env,
    })
  await lockSet('old')
  const screen = new URL(locationOf(await go(`${emulator.url}/embed/1002`)))
  const ref = screen.searchParams.get('ref') ?? ''
  const signedIn = await fetch(`${env.PUBLIC_URL}/e/old/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: env.PUBLIC_URL ?? '' },
    body: new URLSearchParams({ ref, ...ADA }),
  })
  await lockSet('new')
  const refused = await go(locationOf(signedIn))
  expect([refused.status, locationOf(refused)]).toEqual([302, `${env.PUBLIC_URL}/e/new?ref=${encodeURIComponent(ref)}`])
  const cookie = signedIn.headers.getSetCookie().map((one) => one.split(';')[0])
  const returned = await go(locationOf(refused), { Cookie: cookie.join('; ') })
  expect([returned.status, (await go(locationOf(returned))).status]).toEqual([303, 200])
})
