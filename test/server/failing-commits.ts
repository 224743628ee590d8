import { DatabaseSync } from 'node:sqlite'

/** Makes every change of a table fail at its commit, as a full disk does. */
export function failCommits(file: string, table: string): void {
  const triggers = ['INSERT', 'UPDATE', 'DELETE'].map(
    (change) => `CREATE TRIGGER fail_${change} AFTER ${change} ON ${table} BEGIN INSERT INTO orphans VALUES (1); END;`,
  )
  const database = new DatabaseSync(file)
  // The reference is checked at the commit.
  database.exec(`CREATE TABLE parents (id INTEGER PRIMARY KEY);
    CREATE TABLE orphans (parent INTEGER REFERENCES parents DEFERRABLE INITIALLY DEFERRED);
    ${triggers.join('\n')}`)
  database.close()
}
