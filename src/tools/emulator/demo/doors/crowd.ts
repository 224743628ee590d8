import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { readablePassword } from '../../seed/secrets.ts'
import { keptIn } from '../demo-secrets.ts'
import { type ProgramEnvironment, runCommand } from '../login-app.ts'
import NAMES from './names.json' with { type: 'json' }

/** One in so many people has an invitation, and no password. */
const INVITED_EVERY = 8
/** One in so many types a wrong password first. */
const WRONG_EVERY = 9
const VISIT_EVERY_MS = 2_000
const Kept = z.object({ password: z.string() })

/**
 * Adds 300 people, who sign in to an event one after another. Those who come before the doors open wait for them.
 * @param folder of the demo. A file there has the password of all people.
 */
export async function startCrowd(
  folder: string,
  environment: ProgramEnvironment,
  { name, id }: { readonly name: string; readonly id: string },
  sendsMails: boolean,
) {
  const { password } = keptIn(join(folder, 'crowd.json'), Kept, () => ({ password: readablePassword() }))
  const people = NAMES.first.flatMap((first) => NAMES.last.map((last) => `${first}.${last}@example.com`.toLowerCase()))
  const hasPassword = (index: number) => !sendsMails || index % INVITED_EVERY !== 0
  const rows = people.map((person, index) => `${person},${hasPassword(index) ? hashOf(password) : ''}`)
  const csv = join(folder, 'crowd.csv')
  writeFileSync(csv, `username,password_hash\n${rows.join('\n')}\n`, { mode: 0o600 })
  const invite = sendsMails ? ['--invite', '--entry-point', name] : []
  await runCommand(['viewers', 'import', csv, ...invite], environment, '')

  const { PUBLIC_URL: origin = '' } = environment
  const coming = people.filter((_person, index) => hasPassword(index))
  const mistyping = new Set(coming.filter((_person, index) => index % WRONG_EVERY === 0))
  const waiting: string[] = []
  let isOpen = false
  async function visit(): Promise<void> {
    const username = (isOpen ? waiting.shift() : undefined) ?? coming.shift()
    if (username === undefined) return
    const typed = { username, password: mistyping.delete(username) ? 'wrong' : password }
    const body = new URLSearchParams({ ...typed, ustreamContentType: 'channel', ustreamContentId: id })
    const form = { method: 'POST', body, redirect: 'manual', headers: { Origin: origin } } as const
    const answer = await fetch(`${origin}/e/${name}/sign-in`, form).catch(() => null)
    await answer?.body?.cancel()
    if (answer?.status === 303) isOpen = true
    else waiting.push(username)
  }
  const timer = setInterval(() => void visit(), VISIT_EVERY_MS)
  return { stop: () => Promise.resolve(clearInterval(timer)) }
}

/** Not slow, so that the demo starts quickly. The app replaces the hash at the first sign-in. */
function hashOf(password: string): string {
  const salt = randomBytes(16)
  const digest = createHash('sha256').update(password).update(salt).digest()
  return `{SSHA256}${Buffer.concat([digest, salt]).toString('base64')}`
}
