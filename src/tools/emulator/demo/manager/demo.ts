import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { readablePassword } from '../../seed/secrets.ts'
import type { MakeDemoFeature } from '../demo-feature.ts'
import { keptIn } from '../demo-secrets.ts'
import { freePort, runCommand, startProgram } from '../login-app.ts'
import { codeNow, setUpSecondStep } from './second-step.ts'

const NAME = 'eve@example.com'
const PORT = 3100

const Kept = z.object({ secret: z.string(), password: z.string() })

/** The page for managers, as a program of its own. */
export const demo: MakeDemoFeature = () => {
  let address = ''
  let port = PORT
  let logFile = ''
  let kept = { secret: '', password: '' }
  /** The secret of the second step, anew at each start. */
  let step = ''
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
      const listed = await runCommand(['managers', 'list', '--json'], environment, '')
      const how = listed.includes(NAME) ? ['reset', NAME] : ['add', NAME, '--role', 'event-manager']
      await runCommand(['managers', ...how], environment, kept.password)
      const files = { port, logFile, readyPath: '/health/live' }
      const program = await startProgram('src/tools/manager/main.ts', environment, files)
      step = await setUpSecondStep(address, NAME, kept.password)
      return program
    },
    introduction: ({ url }) => [
      `Page for managers: ${address}   name: ${NAME}   password: ${kept.password}`,
      `  No phone is needed: the code of its second step is on ${url}/, at “Page for managers”.`,
    ],
    hint: () => ({
      title: 'Page for managers',
      text: 'The people who run the event see it here. The last code is the second step now: reload this page for the next one. Only the demo shows it.',
      page: address,
      get typed() {
        return [NAME, kept.password, codeNow(step)]
      },
    }),
  }
}
