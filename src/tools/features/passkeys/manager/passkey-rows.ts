import { inTransaction, statementRunner } from '../../../../server/sqlite-transaction.ts'
import { randomText } from '../../../../services/window/random-text.ts'
import { MOST_PASSKEYS, type NewPasskey, type Passkey, PasskeyRow } from '../../../../users/passkeys/passkey-store.ts'
import { digestOf, type ManagerStore, Names } from '../../../cli/manager/accounts/manager-store.ts'

const Row = PasskeyRow.extend({ transports: Names })
const COLUMNS = `
  id, public_key AS "publicKey", counter, device_type AS "deviceType", is_backed_up AS "isBackedUp", transports, name,
  created_at AS "createdAtSeconds", last_used_at AS "lastUsedAtSeconds"`

/** The passkeys of managers by the key of a manager, and the challenges of sessions. UNIX times in seconds. */
export function passkeysIn({ database }: Pick<ManagerStore, 'database'>) {
  const run = statementRunner(database)
  const list = (key: string): Passkey[] =>
    Row.array().parse(run(`SELECT ${COLUMNS} FROM step_keys WHERE key = $1 ORDER BY created_at, id`, key))
  return {
    list,
    add: (key: string, passkey: NewPasskey): 'added' | 'tooMany' | 'exists' =>
      inTransaction(database, () => {
        if (list(key).length >= MOST_PASSKEYS) return 'tooMany'
        const { id, publicKey, counter, deviceType, isBackedUp, transports, name, createdAtSeconds } = passkey
        const values = [publicKey, counter, deviceType, isBackedUp, transports, name, Math.floor(createdAtSeconds)]
        const sql = `INSERT INTO step_keys VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, NULL)
          ON CONFLICT DO NOTHING RETURNING id`
        return run(sql, id, key, ...values).length === 1 ? 'added' : 'exists'
      }),
    /** Stores a use. Returns false if the counter is not above the stored one, so that the passkey may have been copied. */
    use(id: string, use: Pick<Passkey, 'counter' | 'isBackedUp'>, nowSeconds: number): boolean {
      const sql = `UPDATE step_keys SET counter = $2, is_backed_up = $3, last_used_at = $4
        WHERE id = $1 AND (counter < $2 OR counter = 0 AND $2 = 0) RETURNING id`
      return run(sql, id, use.counter, use.isBackedUp, Math.floor(nowSeconds)).length === 1
    },
    /** Removes a passkey, and ends the other sessions of the manager. */
    remove: (key: string, id: string, sessionId: string): void =>
      inTransaction(database, () => {
        run('DELETE FROM step_keys WHERE key = $1 AND id = $2', key, id)
        run('DELETE FROM sessions WHERE key = $1 AND id != $2', key, digestOf(sessionId))
      }),
    /** Creates the challenge of a session, in place of an earlier one. */
    challenge(sessionId: string): string {
      const challenge = randomText()
      run('UPDATE sessions SET challenge = $2 WHERE id = $1', digestOf(sessionId), challenge)
      return challenge
    },
    /** Uses a challenge once. Returns false for a used one, or one of another session. */
    takeChallenge(sessionId: string, challenge: string): boolean {
      const sql = 'UPDATE sessions SET challenge = NULL WHERE id = $1 AND challenge = $2 RETURNING id'
      return run(sql, digestOf(sessionId), challenge).length === 1
    },
  }
}
