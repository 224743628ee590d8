import { hash, randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import { type EntryPoint, isHashEntryPoint } from '../../entry-points/entry-point.ts'
import type { ReturnAddress } from '../../hash-lock/return-address.ts'
import type { Sessions } from '../../sessions/sessions.ts'

/**
 * Returns the key of the places of an owner, at an entry point and a kind of address: the player, or one entry of the list
 * of consumers, such as the chat. Without cookies, the chat is a sign-in of its own, and must not take the player's place.
 * @param owner the kind of the owner, and its name.
 */
export function placesKey(entryPoint: EntryPoint, { url }: ReturnAddress, owner: readonly string[]): string {
  return digest(JSON.stringify([entryPoint.name, kindOf(entryPoint, url), ...owner]))
}

/** Returns the place of a session. It is not a credential. */
export function placeOfSession(sessionId: string): string {
  return digest(sessionId)
}

/** Returns the place of a sign-in before its session starts. The same form sent twice has one place. */
export function placeOfForm(sessions: Pick<Sessions, 'idOfForm'>, req: Request): string {
  const id = sessions.idOfForm(req)
  return id === undefined ? randomBytes(16).toString('base64url') : placeOfSession(id)
}

/** Returns the place of this browser before a sign-in. No other viewer has it. Undefined without a session. */
export async function placeBefore(
  sessions: Pick<Sessions, 'returningViewer'>,
  req: Request,
  res: Response,
): Promise<string | undefined> {
  const before = await sessions.returningViewer(req, res).catch(() => null)
  // A session that was only read sets no cookie: the sign-in reads it again, and then replaces it.
  Reflect.deleteProperty(req, 'session')
  return before === null ? undefined : placeOfSession(before.sessionId)
}

/** Returns the longest allowed consumer around an address. The operator lists these, so their number is fixed. */
function kindOf(entryPoint: EntryPoint, url: string): string {
  if (!isHashEntryPoint(entryPoint) || url === entryPoint.playerAddress.url) return 'player'
  const around = entryPoint.consumers.map(({ origin, path }) => origin + path).filter((start) => url.startsWith(start))
  return around.toSorted((one, other) => other.length - one.length)[0] ?? 'player'
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22)
}
