import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readablePassword } from '../seed/default-seed.ts'
import type { SeedAccount } from '../seed/seed.ts'

const DEMO_VIEWERS = ['ada@example.com', 'grace@example.com']

const DemoSecrets = z.object({
  hashSecret: z.string(),
  sessionSecret: z.string(),
  viewers: z.array(z.object({ username: z.string(), password: z.string() })).min(1),
})

export interface DemoSecrets {
  /** Shared by the login app and the emulator's locks. */
  readonly hashSecret: string
  readonly sessionSecret: string
  readonly viewers: readonly SeedAccount[]
  /** True if just generated: viewers in an existing store then have other passwords. */
  readonly isNew: boolean
}

/**
 * Reads the secrets of the demo, or generates and stores them at the first start. With stored secrets viewers keep
 * their passwords and stay signed in.
 * @param folder the demo's own folder; created if missing, readable by this user only.
 */
export function loadSecrets(folder: string): DemoSecrets {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  const file = join(folder, 'secrets.json')
  const stored = existsSync(file) ? DemoSecrets.safeParse(parseJson(readFileSync(file, 'utf8'))) : null
  if (stored?.success) return { ...stored.data, isNew: false }
  const made = {
    hashSecret: randomBytes(20).toString('hex'),
    sessionSecret: randomBytes(32).toString('hex'),
    viewers: DEMO_VIEWERS.map((username) => ({ username, password: readablePassword() })),
  }
  writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 })
  return { ...made, isNew: true }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
