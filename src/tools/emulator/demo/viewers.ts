import { existsSync } from 'node:fs'
import { z } from 'zod'
import type { DemoSecrets } from './demo-secrets.ts'
import { type ProgramEnvironment, runCommand } from './login-app.ts'

/**
 * Adds the demo's viewers with the commands that an operator would use.
 * @param file the file of the viewers, which may not be there yet.
 * @throws EmulatorStartError if a command fails.
 */
export async function prepareViewers(
  { viewers, isNew }: DemoSecrets,
  file: string,
  inherited: ProgramEnvironment,
): Promise<void> {
  const environment = { ...inherited, USER_STORE_URL: `sqlite:${file}` }
  const listed = existsSync(file) ? await runCommand(['viewers', 'list', '--json'], environment, '') : '[]'
  const present = namesIn(listed)
  for (const { username, password } of viewers) {
    if (!present.has(username)) await runCommand(['viewers', 'add', username], environment, password)
    else if (isNew) await runCommand(['viewers', 'set-password', username], environment, password)
  }
}

function namesIn(json: string): ReadonlySet<string> {
  const listed = z.array(z.object({ username: z.string() })).parse(JSON.parse(json))
  return new Set(listed.map(({ username }) => username))
}
