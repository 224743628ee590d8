import { mutate } from './mutate.ts'
import { readTable, scoreOf } from './table.ts'

/**
 * Prints the score, and every requirement that is not met, with its reason. `--mutate` takes out the guards instead:
 * of the requirements or folders that follow, or of all.
 */
const [option, ...ids] = process.argv.slice(2)
if (option === '--mutate') mutate(ids)
else printScore()

function printScore(): void {
  const rows = readTable()
  for (const part of ['core', 'further'] as const) {
    const counts = Object.entries(scoreOf(rows, part)).map(([state, count]) => `${count} ${state}`)
    console.log(`${part}: ${counts.join(', ')}`)
  }
  for (const { id, requirement, state, proof } of rows) {
    if (state !== 'met') console.log(`\n${id} ${requirement}: ${state}\n  ${proof}`)
  }
}
