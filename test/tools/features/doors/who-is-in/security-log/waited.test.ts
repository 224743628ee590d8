import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refreshOf, startWaiting } from '../../../../../features/doors/waiting/waiting.ts'
import { ADA } from '../../../../../login/start-login-app.ts'
import { SETTINGS } from '../../../../../settings.ts'
import { temporaryFolder } from '../../../../../users/temporary-folder.ts'
import { runHere } from '../../../../cli/run-here.ts'

const HEADERS = {
  'User-Agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0',
  'Sec-Fetch-Site': 'same-origin',
}

/** The session begins with the sign-in, and the line `signed-in` comes when the doors open. */
test('sessions list has the device and the entry point of a viewer who waited', async () => {
  const cwd = temporaryFolder()
  const sessions = join(cwd, 'sessions.db')
  const log = join(cwd, 'security.log')
  let seconds = Date.now() / 1000 - 900
  const app = await startWaiting({ sessionFile: sessions, nowSeconds: () => seconds })
  app.moveDoor(seconds + 600, seconds + 7200)
  const texts: string[] = []
  /** Writes the lines of a step with the time of the app. */
  const write = () => {
    const time = new Date(seconds * 1000)
    texts.push(...app.lines.splice(0).map((line) => `${JSON.stringify({ ...line, time })}\n`))
  }
  const page = await app.follow(await app.post('/sign-in', ADA, HEADERS), HEADERS)
  write()
  seconds += 600
  expect((await app.get(refreshOf(page).path, HEADERS)).status).toBe(303)
  write()
  writeFileSync(log, texts.join(''))
  const env = { ...SETTINGS, SESSION_STORE_URL: `sqlite:${sessions}`, SECURITY_LOG_FILE: log }
  const { stdout } = await runHere(['sessions', 'list', '--json'], { cwd, env })
  expect(JSON.parse(stdout)).toMatchObject([
    { username: ADA.username, device: 'Firefox, Windows', address: '127.0.0.1', entryPoint: 'default' },
  ])
})
