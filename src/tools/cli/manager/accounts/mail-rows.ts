import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { Coded } from '../../../../errors.ts'
import { inTransaction, statementRunner } from '../../../../server/sqlite-transaction.ts'
import { usernameKey } from '../../../../users/viewer-fields.ts'

export const MAIL_STATES = ['waiting', 'sent', 'refused'] as const

/** JSON. A row of an earlier version has a sentence of the command line, which no page shows. */
const Fault = z.string().transform((text): Coded => (text.startsWith('{') ? JSON.parse(text) : {}))
const Row = z.object({
  id: z.number(),
  kind: z.string(),
  username: z.string(),
  /** Empty for the only entry point of the settings. */
  entryPoint: z.string(),
  language: z.string(),
  manager: z.string(),
  /** Below 0 for a plan to send mails. The mails of a plan have its id as their batch. */
  batch: z.number(),
  addedAtSeconds: z.number(),
  /** The number of attempts, this one included. */
  tries: z.number(),
  state: z.enum(MAIL_STATES),
  fault: Fault.nullable(),
})
const COLUMNS =
  'id, kind, username, entry_point AS "entryPoint", language, manager, batch, added_at AS "addedAtSeconds", tries, state, fault'
const Counts = z.object({ all: z.number(), sent: z.number(), waiting: z.number() })

/** A mail of the page. UNIX times in seconds. */
export type MailRow = Readonly<z.output<typeof Row>>

export type Turn = Pick<MailRow, 'kind' | 'entryPoint'>

/** Mails of one kind for one event. */
export interface NewMails extends Turn, Pick<MailRow, 'language' | 'manager'> {
  readonly usernames: readonly string[]
  /** 0 for the mail of one person, -1 for a plan. Default: that of the invitations which are sent together. */
  readonly batch?: number
}

export interface MailFilter {
  /** Null for all. */
  readonly entryPoints: readonly string[] | null
  readonly states: readonly string[]
  /** True for plans in place of mails. */
  readonly isPlan?: boolean
}

const MOST_REFUSED_SHOWN = 50
const KEPT_SECONDS = 30 * 86_400
/** Longer than a mail takes. After this time, a mail of a program that was killed is sent again. */
const CLAIM_SECONDS = 60
const OF_ROUND = `kind = 'invitation' AND batch = (SELECT max(batch) FROM mails WHERE kind = 'invitation') AND batch > 0
  AND ($1 IS NULL OR manager = $1)`

/** Mails that the page for managers sends after its answer. No kill loses one. */
export function mailsIn(database: DatabaseSync) {
  const run = statementRunner(database)
  const rowsOf = (...query: Parameters<typeof run>) => Row.array().parse(run(...query))
  const settle = (id: number, state: string, fault: string | null) =>
    void run(`UPDATE mails SET state = $1, fault = $2 WHERE id = $3 AND state = 'waiting'`, state, fault, id)
  function nextRound(): number {
    const sql = `SELECT coalesce(max(batch), 0) + (count(*) FILTER (WHERE state = 'waiting' AND batch > 0) = 0) AS round
      FROM mails WHERE kind = 'invitation'`
    return Number(run(sql)[0]?.round)
  }
  return {
    /**
     * Adds mails. A mail of the same kind that waits for a person stays as it is, and a mail of a plan is sent once. Adds
     * nothing for a plan that was stopped. Deletes old rows.
     */
    add({ kind, entryPoint, language, usernames, manager, batch }: NewMails, nowSeconds: number): void {
      const now = Math.floor(nowSeconds)
      inTransaction(database, () => {
        run(`DELETE FROM mails WHERE state <> 'waiting' AND added_at < $1`, now - KEPT_SECONDS)
        const given = batch ?? nextRound()
        const isOfPlan = batch !== undefined && batch > 0
        if (isOfPlan && run(`SELECT 1 FROM mails WHERE id = $1 AND state = 'waiting'`, batch).length === 0) return
        for (const username of usernames) {
          const person = [kind, usernameKey(username), entryPoint] as const
          run(
            `DELETE FROM mails WHERE kind = $1 AND key = $2 AND entry_point = $3 AND state <> 'waiting' AND batch IS NOT $4`,
            ...[...person, isOfPlan ? batch : null],
          )
          run(
            `INSERT INTO mails (kind, key, entry_point, username, language, manager, batch, added_at, due_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) ON CONFLICT DO NOTHING`,
            ...[...person, username, language, manager, given, now],
          )
        }
      })
    },
    /** Returns the kind and event of the mail whose turn it is. Mails of one person come before those of many. */
    turn(nowSeconds: number, kinds: readonly string[]): Turn | null {
      const sql = `SELECT ${COLUMNS} FROM mails INDEXED BY mail_turns WHERE state = 'waiting' AND due_at <= $1
        AND kind IN (SELECT value FROM json_each($2)) ORDER BY batch > 0, due_at, id LIMIT 1`
      return rowsOf(sql, nowSeconds, kinds)[0] ?? null
    },
    /** Takes mails that are due, the first ones first. No other program takes them for a minute. */
    claim(nowSeconds: number, { kind, entryPoint }: Turn, limit: number): MailRow[] {
      const sql = `UPDATE mails SET due_at = $1 + ${CLAIM_SECONDS}, tries = tries + 1 WHERE id IN
        (SELECT id FROM mails INDEXED BY mail_turns WHERE state = 'waiting' AND due_at <= $1 AND kind = $2
        AND entry_point = $3 ORDER BY batch > 0, due_at, id LIMIT $4) RETURNING ${COLUMNS}`
      const claimed = rowsOf(sql, Math.floor(nowSeconds), kind, entryPoint, limit)
      return claimed.toSorted((one, other) => one.id - other.id)
    },
    /** Returns when the next one is due. Null if none waits. */
    nextAtSeconds: (): number | null =>
      z.number().nullable().parse(run(`SELECT min(due_at) AS next FROM mails WHERE state = 'waiting'`)[0]?.next),
    setSent: (id: number): void => settle(id, 'sent', null),
    setRefused: (id: number, { code, values }: Coded): void => settle(id, 'refused', JSON.stringify({ code, values })),
    /** Delays one mail. */
    delay: (id: number, untilSeconds: number, tries: number): void =>
      void run('UPDATE mails SET due_at = $1, tries = $2 WHERE id = $3', Math.floor(untilSeconds), tries, id),
    /** Delays all due mails of one kind and event. */
    postpone: (nowSeconds: number, { kind, entryPoint }: Turn, waitSeconds: number): void =>
      void run(
        `UPDATE mails SET due_at = $1 + $2 WHERE state = 'waiting' AND due_at <= $1 AND kind = $3 AND entry_point = $4`,
        ...[Math.floor(nowSeconds), waitSeconds, kind, entryPoint],
      ),
    /** Stops a plan, and its mails of this kind that wait. Returns false if nothing waits. */
    stop(id: number, { kind, entryPoint }: Turn): boolean {
      const mails = `DELETE FROM mails
        WHERE batch = $1 AND entry_point = $2 AND kind = $3 AND state = 'waiting' RETURNING id`
      const plan = `UPDATE mails SET state = 'refused', fault = '{"code":"stopped"}'
        WHERE id = $1 AND entry_point = $2 AND batch < 0 AND (state = 'waiting' OR $3 > 0) RETURNING id`
      const stopped = run(mails, id, entryPoint, kind).length
      return run(plan, id, entryPoint, stopped).length + stopped > 0
    },
    /** True while a plan, or a mail of its kind, waits. */
    isRunning: (id: number, kind: string): boolean =>
      run(`SELECT 1 FROM mails WHERE state = 'waiting' AND (id = $1 OR batch = $1 AND kind = $2) LIMIT 1`, id, kind)
        .length > 0,
    remove: (id: number): void => void run('DELETE FROM mails WHERE id = $1', id),
    /** Returns the mails of a person. */
    of: (username: string): MailRow[] =>
      rowsOf(`SELECT ${COLUMNS} FROM mails WHERE key = $1 AND batch >= 0 ORDER BY id`, usernameKey(username)),
    /** Forgets a person. @param guestOf the entry point of a guest, whose account elsewhere may still wait for a mail. */
    forget(username: string, guestOf: string | null = null): void {
      const of = `($2 IS NULL OR (entry_point = $2 AND state <> 'waiting'))`
      run(`DELETE FROM mails WHERE key = $1 AND batch >= 0 AND ${of}`, usernameKey(username), guestOf)
    },
    find({ kind, entryPoint }: Turn, username: string): MailRow | null {
      const sql = `SELECT ${COLUMNS} FROM mails WHERE kind = $1 AND key = $2 AND entry_point = $3`
      return rowsOf(sql, kind, usernameKey(username), entryPoint)[0] ?? null
    },
    /** Returns mails, the newest first. @param before the id of the last mail of the page before. */
    page({ entryPoints, states, isPlan = false }: MailFilter, before: number, limit: number): MailRow[] {
      const sql = `SELECT ${COLUMNS} FROM mails WHERE id < $1 AND (batch < 0) = $5 AND state IN (SELECT value FROM json_each($2))
        AND ($3 IS NULL OR entry_point IN (SELECT value FROM json_each($3))) ORDER BY id DESC LIMIT $4`
      return rowsOf(sql, before, states, entryPoints, limit, isPlan)
    },
    /** Returns the invitations of the last round, which ends when none waits. @param manager who sent them; null for all. */
    progress(manager: string | null) {
      const counts = `SELECT count(*) AS "all", count(*) FILTER (WHERE state = 'sent') AS sent,
        count(*) FILTER (WHERE state = 'waiting') AS waiting FROM mails WHERE ${OF_ROUND}`
      const refused = `SELECT ${COLUMNS} FROM mails WHERE state = 'refused' AND ${OF_ROUND} LIMIT ${MOST_REFUSED_SHOWN}`
      const rows = rowsOf(refused, manager)
      const shown = rows.map(({ username, fault }) => ({ username, fault: fault ?? {} }))
      return { ...Counts.parse(run(counts, manager)[0]), refused: shown }
    },
  }
}
