import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { inTransaction, statementRunner } from '../../../server/sqlite-transaction.ts'
import { usernameKey } from '../../../users/viewer-fields.ts'
import { digestOf, type Manager, type ManagerStore, Names, ROLES } from '../../cli/manager/accounts/manager-store.ts'

const TOKEN_BYTES = 32
export const LINK_HOURS = 24

const Link = z.object({
  digest: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  entryPoints: Names.nullable(),
  /** False for the invitation of a new manager. */
  isReset: z.number().transform(Boolean),
  expiresAtSeconds: z.number(),
})
const COLUMNS =
  'digest, name, role, entry_points AS "entryPoints", is_reset AS "isReset", expires_at AS "expiresAtSeconds"'
/** A link to set a password, in a mail. The store has only its digest. */
export type Link = Readonly<z.output<typeof Link>>

/** True for no more rights than those of a manager: no stronger role, and no other entry point. */
export function isWithin(one: Pick<Manager, 'role' | 'entryPoints'>, { role, entryPoints }: Manager): boolean {
  if (ROLES.indexOf(one.role) < ROLES.indexOf(role)) return false
  return entryPoints === null || one.entryPoints?.every((name) => entryPoints.includes(name)) === true
}

export const newToken = () => randomBytes(TOKEN_BYTES).toString('base64url')

/** The links to managers that were sent. UNIX times in seconds. */
export function linksIn({ database, add, reset }: Pick<ManagerStore, 'database' | 'add' | 'reset'>) {
  const run = statementRunner(database)
  const find = (nowSeconds: number, where: string, ...values: readonly string[]) =>
    Link.array().parse(run(`SELECT ${COLUMNS} FROM links WHERE expires_at > $1 AND ${where}`, nowSeconds, ...values))
  const remove = (digest: string) => run('DELETE FROM links WHERE digest = $1 RETURNING digest', digest).length === 1
  return {
    /**
     * Stores a link. An earlier one of the same inviter ends.
     * @param newHash replaces the password of a colleague, whose second step and sessions end. Undefined for an invitation.
     */
    add(token: string, colleague: Manager, inviter: string, nowSeconds: number, newHash?: string): void {
      const { name, role, entryPoints } = colleague
      const isReset = newHash !== undefined
      const now = Math.floor(nowSeconds)
      const keys = [usernameKey(name), usernameKey(inviter)] as const
      inTransaction(database, () => {
        if (isReset) reset(name, newHash)
        run('DELETE FROM links WHERE (key = $1 AND inviter = $2) OR expires_at <= $3', ...keys, now)
        const values = [digestOf(token), ...keys, name, role, entryPoints, isReset, now + LINK_HOURS * 3600]
        run('INSERT INTO links VALUES ($1, $2, $3, $4, $5, $6, $7, $8)', ...values)
      })
    },
    find: (token: string, nowSeconds: number): Link | null =>
      find(nowSeconds, 'digest = $2', digestOf(token))[0] ?? null,
    invitations: (nowSeconds: number): Link[] => find(nowSeconds, 'is_reset = 0 ORDER BY key'),
    /** Returns false for an invitation that is gone, or used. */
    withdraw: remove,
    /** Uses a link once. Returns false if it was used, or the manager was added or removed meanwhile. */
    use: (link: Link, passwordHash: string): boolean =>
      inTransaction(database, () => {
        if (!remove(link.digest)) return false
        return link.isReset ? reset(link.name, passwordHash) : add(link, passwordHash)
      }),
  }
}
