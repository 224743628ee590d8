import { z } from 'zod'
import type { DemoSecrets } from './demo-secrets.ts'
import { type ProgramEnvironment, runCommand } from './login-app.ts'

/**
 * Adds the demo's viewers with the commands that an operator would use.
 * @throws DemoError if a command fails.
 */
export async function prepareViewers({ viewers, isNew }: DemoSecrets, environment: ProgramEnvironment): Promise<void> {
  const present = namesIn(await runCommand(['viewers', 'list', '--json'], environment, ''))
  for (const { username, password } of viewers) {
    if (!present.has(username)) await runCommand(['viewers', 'add', username], environment, password)
    else if (isNew) await runCommand(['viewers', 'set-password', username], environment, password)
  }
}

function namesIn(json: string): ReadonlySet<string> {
  const listed = z.array(z.object({ username: z.string() })).parse(JSON.parse(json))
  return new Set(listed.map(({ username }) => username))
}
