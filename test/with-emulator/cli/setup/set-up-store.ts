import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { ADMITTED_OPTIONS } from '../../../login/admitted.ts'
import { freePort } from '../../../servers/free-port.ts'
import { runProgram } from '../../../tools/cli/run-program.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { ALL_CLEAR } from '../../all-clear.ts'
import { emulatorOfTest } from '../../video-service/client.ts'

/** The exit status of `setup`, and a text of it. The access policy of a fork may refuse a viewer without its groups. */
export const SUCCESS: readonly [status: number, text: RegExp] =
  ADMITTED_OPTIONS.length === 0 ? [0, ALL_CLEAR] : [1, /access policy refuses/]
export const VIEWER = { VIEWER: 'ada@example.com', VIEWER_PASSWORD: 'seven quiet herons' }

/** Returns a function that runs `setup` with answers, in one folder, with these settings of the store at first. */
export async function openSetUp(store: Readonly<Record<string, string>>) {
  const { url, seed } = await emulatorOfTest()
  const [client] = seed.clients
  const cwd = temporaryFolder()
  const first = {
    PUBLIC_URL: `http://localhost:${await freePort()}`,
    PLAYER_RETURN_URL: `${url}/embed/hashlock/pass`,
    SERVICES: url,
    CLIENT: `${client?.client_id} ${client?.client_secret}`,
    CHANNEL: '1002',
    ...store,
  }
  let answers: Record<string, string> = first
  return async (more: Readonly<Record<string, string>>) => {
    const lines = Object.entries({ PAGES: `${url}/channel/1002`, ...answers, ...more })
    writeFileSync(join(cwd, 'answers'), lines.map(([name, value]) => `${name}=${value}\n`).join(''))
    // A later run keeps the settings of the first one.
    answers = {}
    const { status, stdout, stderr } = await runProgram(['setup', '--answers', 'answers'], { cwd })
    return { status, printed: stdout + stderr, settings: parseEnv(readFileSync(join(cwd, '.env'), 'utf8')) }
  }
}
