import { readTable, scoreOf } from './table.ts'

/** Prints the score, and every requirement that is not met, with its reason. */
const rows = readTable()
for (const part of ['core', 'further'] as const) {
  const counts = Object.entries(scoreOf(rows, part)).map(([state, count]) => `${count} ${state}`)
  console.log(`${part}: ${counts.join(', ')}`)
}
for (const { id, requirement, state, proof } of rows) {
  if (state !== 'met') console.log(`\n${id} ${requirement}: ${state}\n  ${proof}`)
}
