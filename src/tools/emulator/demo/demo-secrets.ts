import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { jsonIn } from '../../../json-text.ts'
import { randomKey, readablePassword } from '../seed/secrets.ts'
import { type ProgramEnvironment, runCommand } from './login-app.ts'

const DEMO_VIEWERS = ['ada@example.com', 'grace@example.com']

const Account = z.object({ username: z.string(), password: z.string() })
const Kept = z.object({ hashSecret: z.string(), sessionSecret: z.string(), viewers: z.array(Account).min(1) })

export type DemoSecrets = ReturnType<typeof loadSecrets>

/** Reads what the demo keeps in a file. Makes it anew if the file is missing or wrong. Only this user may read it. */
export function keptIn<T>(file: string, schema: z.ZodType<T>, make: () => T): T {
  const kept = existsSync(file) ? schema.safeParse(jsonIn(readFileSync(file, 'utf8'))) : null
  if (kept?.success) return kept.data
  const made = make()
  writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 })
  return made
}

/**
 * Reads the secrets of the demo, or generates and stores them at the first start. With stored secrets viewers keep
 * their passwords and stay signed in.
 * @param folder the demo's own folder; created if missing, readable by this user only.
 * @returns also `isNew`, true if just generated: viewers in an existing store then have other passwords.
 */
export function loadSecrets(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  let isNew = false
  const kept = keptIn(join(folder, 'secrets.json'), Kept, () => {
    isNew = true
    return {
      // Shared by the login app and the emulator's locks.
      hashSecret: randomKey(),
      sessionSecret: randomBytes(32).toString('hex'),
      viewers: DEMO_VIEWERS.map((username) => ({ username, password: readablePassword() })),
    }
  })
  return { ...kept, isNew }
}

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
  const present = z.array(Account.pick({ username: true })).parse(JSON.parse(listed))
  for (const { username, password } of viewers) {
    const isPresent = present.some((viewer) => viewer.username === username)
    if (!isPresent) await runCommand(['viewers', 'add', username], environment, password)
    else if (isNew) await runCommand(['viewers', 'set-password', username], environment, password)
  }
}
