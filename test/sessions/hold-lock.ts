import { DatabaseSync } from 'node:sqlite'

/** Locks the file named by the first argument, until the parent closes standard input. */
const database = new DatabaseSync(process.argv[2] ?? '')
database.exec('BEGIN EXCLUSIVE')
process.stdout.write('locked\n')
process.stdin.resume().on('end', () => database.close())
