import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readablePassword } from '../../seed/secrets.ts'
import type { MakeDemoFeature } from '../demo-feature.ts'
import { keptIn } from '../demo-secrets.ts'
import { freePort, runCommand, startProgram } from '../login-app.ts'

const NAME = 'eve@example.com'
const PORT = 3100

const Kept = z.object({ secret: z.string(), password: z.string() })

/** The page for managers, as a program of its own. */
export const demo: MakeDemoFeature = () => {
  let address = ''
  let port = PORT
  let logFile = ''
  let kept = { secret: '', password: '' }
  return {
    order: 11,
    async programSettings(folder) {
      // Another program may use the port: the demo then takes any free port.
      port = await freePort(PORT, 'DEMO_PORT').catch(() => freePort(0, 'DEMO_PORT'))
      address = `http://localhost:${port}`
      logFile = join(folder, 'manager-program.log')
      kept = keptIn(join(folder, 'manager.json'), Kept, () => ({
        secret: randomBytes(32).toString('hex'),
        password: readablePassword(),
      }))
      return {
        MANAGER_PORT: String(port),
        MANAGER_URL: address,
        MANAGER_SECRET: kept.secret,
        MANAGER_STORE_FILE: join(folder, 'manager.db'),
        MANAGER_LOG_FILE: join(folder, 'manager.log'),
      }
    },
    async start(environment) {
      // A new folder has no managers.
      const isThere = existsSync(environment.MANAGER_STORE_FILE ?? '')
      const listed = isThere ? await runCommand(['managers', 'list', '--json'], environment, '') : ''
      if (!listed.includes(NAME)) {
        await runCommand(['managers', 'add', NAME, '--role', 'event-manager'], environment, kept.password)
      }
      return await startProgram('src/tools/manager/main.ts', environment, { port, logFile, readyPath: '/health/live' })
    },
    hint: () => ({
      title: 'Page for managers',
      text: 'The people who run the event see the evening here. An authenticator app is the second step of their sign-in.',
      page: address,
      typed: [NAME, kept.password],
    }),
  }
}
