import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { Coded } from '../../../../errors.ts'
import { inTransaction } from '../../../../server/sqlite-transaction.ts'
import { usernameKey } from '../../../../users/viewer-fields.ts'

const DueRow = z.object({ username: z.string(), addedAtSeconds: z.number(), tries: z.number() })
/** An invitation that waits to be sent. */
export type DueInvitation = Readonly<z.output<typeof DueRow>>

/** JSON. A row of an earlier version has a sentence of the command line, which no page shows. */
const Fault = z.string().transform((text): Coded => (text.startsWith('{') ? JSON.parse(text) : {}))
const Refused = z.object({ username: z.string(), fault: Fault })
const Counts = z.object({ all: z.number(), sent: z.number(), waiting: z.number() })

/** The invitations of the last round. A round ends when none waits. */
export interface InvitationProgress extends Readonly<z.output<typeof Counts>> {
  readonly refused: readonly Readonly<z.output<typeof Refused>>[]
}

const MOST_REFUSED_SHOWN = 50

/** Invitations that the page for managers sends after its answer. No kill loses one. UNIX times in seconds. */
export function invitationsIn(database: DatabaseSync) {
  const isRoundOver = database.prepare(`SELECT count(*) = 0 AS isOver FROM invitations WHERE state = 'waiting'`)
  const clear = database.prepare('DELETE FROM invitations')
  const insert = database.prepare(
    `INSERT INTO invitations (key, username, manager, added_at, due_at) VALUES (?1, ?2, ?3, ?4, ?4)
     ON CONFLICT (key) DO UPDATE SET manager = ?3, added_at = ?4, due_at = ?4, tries = 0, state = 'waiting', fault = NULL`,
  )
  const due = database.prepare(
    `SELECT username, added_at AS addedAtSeconds, tries FROM invitations
     WHERE state = 'waiting' AND due_at <= ? ORDER BY due_at, id LIMIT ?`,
  )
  const next = database.prepare(`SELECT min(due_at) AS atSeconds FROM invitations WHERE state = 'waiting'`)
  const settle = database.prepare('UPDATE invitations SET state = ?, fault = ? WHERE key = ?')
  const delay = database.prepare('UPDATE invitations SET due_at = ?, tries = tries + 1 WHERE key = ?')
  const remove = database.prepare('DELETE FROM invitations WHERE key = ?')
  const counts = database.prepare(
    `SELECT count(*) AS "all", count(*) FILTER (WHERE state = 'sent') AS sent,
       count(*) FILTER (WHERE state = 'waiting') AS waiting FROM invitations WHERE ?1 IS NULL OR manager = ?1`,
  )
  const refused = database.prepare(
    `SELECT username, fault FROM invitations WHERE state = 'refused' AND (?1 IS NULL OR manager = ?1)
     ORDER BY id LIMIT ${MOST_REFUSED_SHOWN}`,
  )
  return {
    /** Adds invitations. The first of a new round removes the rows of the last one. */
    add(usernames: readonly string[], manager: string, nowSeconds: number): void {
      inTransaction(database, () => {
        if (isRoundOver.get()?.isOver === 1) clear.run()
        for (const name of usernames) insert.run(usernameKey(name), name, manager, Math.floor(nowSeconds))
      })
    },
    /** Returns invitations that are due, the first ones first. */
    due: (nowSeconds: number, limit: number): DueInvitation[] => DueRow.array().parse(due.all(nowSeconds, limit)),
    /** Returns when the next one is due. Null if none waits. */
    nextAtSeconds: (): number | null => z.number().nullable().parse(next.get()?.atSeconds),
    setSent: (username: string): void => void settle.run('sent', null, usernameKey(username)),
    setRefused: (username: string, { code, values }: Coded): void =>
      void settle.run('refused', JSON.stringify({ code, values }), usernameKey(username)),
    /** Tries one again later. */
    delay: (username: string, untilSeconds: number): void =>
      void delay.run(Math.ceil(untilSeconds), usernameKey(username)),
    /** Forgets a person. */
    remove: (username: string): void => void remove.run(usernameKey(username)),
    /** @param manager whose invitations count; null for all. */
    progress: (manager: string | null): InvitationProgress => ({
      ...Counts.parse(counts.get(manager)),
      refused: Refused.array().parse(refused.all(manager)),
    }),
  }
}
