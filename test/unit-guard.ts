import childProcess from 'node:child_process'
import { createRequire, syncBuiltinESMExports } from 'node:module'

/** Makes every unit test fail that needs what belongs in `.app.test.ts`: another program, or a real hash of a password. */

function refuse(): never {
  throw new Error('A unit test starts no program and hashes no password: end its file name with .app.test.ts')
}

/** Empty in a fork whose stores check no hash: it has no such package. */
function loadHashing(): Record<string, unknown> {
  try {
    return createRequire(import.meta.url)('@node-rs/argon2')
  } catch {
    return {}
  }
}

const argon2 = loadHashing()
const STARTS = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const

for (const name of STARTS) Object.assign(childProcess, { [name]: refuse })
for (const name of ['hash', 'hashSync', 'verify', 'verifySync']) argon2[name] = refuse
syncBuiltinESMExports()
