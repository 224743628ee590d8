import { readActivitySettings, readSharedStores } from '../../../../config.ts'
import { ConfigError } from '../../../../errors.ts'
import { endOfSession } from '../../../../sessions/session-store.ts'
import { type NamedSession, visitSessions } from '../../../../stores/who-is-in/all-sessions.ts'
import { stores } from '../../../../stores.ts'
import { usernameKey } from '../../../../users/viewer-fields.ts'
import { visitSignIns } from '../../security-log/sign-ins.ts'
import type { CommandIo } from '../../terminal/io.ts'

/** A session that is not over. UNIX times in seconds. */
export interface SessionIn extends NamedSession {
  /** The session ends then, if it is not used. */
  readonly endsAtSeconds: number
  /** From the log; null where no log knows. */
  address: string | null
  entryPoint: string | null
  /** Browser and system. */
  device: string | null
}

interface SignIn {
  readonly usernameKey: string
  readonly seconds: number
  readonly address: string | null
  readonly entryPoint: string | null
  readonly device: string | null
}

/** Logs that know where viewers signed in. Each returns false if there is no log. */
// biome-ignore format: one item a line
const LOGS: readonly ((env: CommandIo['env'], visit: (signIn: SignIn) => void) => Promise<boolean>)[] = [
  visitSignIns,
]

/** The log has the line before the session begins. */
const LONGEST_START_SECONDS = 3

/** Reads the sessions of all viewers that are not over, the newest first. */
export async function readSessionsIn({ env }: Pick<CommandIo, 'env'>, nowSeconds: number): Promise<SessionIn[]> {
  const limits = readActivitySettings(env)
  const found: SessionIn[] = []
  const stored = await stores.sessions(readSharedStores(env).sessionStore)
  await visitSessions(stored, (session) => {
    const endsAtSeconds = endOfSession(session, limits)
    if (endsAtSeconds > nowSeconds)
      found.push({ ...session, endsAtSeconds, address: null, entryPoint: null, device: null })
  })
  return found.sort((one, other) => other.signedInAtSeconds - one.signedInAtSeconds)
}

/**
 * Adds the address, the entry point and the device of the sign-in to each session.
 * @returns why they are not known; null if a log was read.
 */
export async function addSignIns(
  { env }: Pick<CommandIo, 'env'>,
  sessions: readonly SessionIn[],
): Promise<string | null> {
  const keyOf = (name: string, seconds: number) => `${name} ${Math.floor(seconds)}`
  const byStart = new Map(sessions.map((one) => [keyOf(usernameKey(one.username), one.signedInAtSeconds), one]))
  function visit({ usernameKey: name, seconds, ...from }: SignIn): void {
    for (let later = 0; later <= LONGEST_START_SECONDS; later += 1) {
      const session = byStart.get(keyOf(name, seconds + later))
      if (session === undefined) continue
      Object.assign(session, from)
      return
    }
  }
  try {
    const read = await Promise.all(LOGS.map((log) => log(env, visit)))
    return read.includes(true) ? null : 'there is no security log'
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}
