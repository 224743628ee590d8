import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const VARIABLE = 'NODE_COMPILE_CACHE'

/** For the environment of a program that a test starts: the program takes compiled code from earlier starts. */
export const compileCache: Readonly<Record<string, string>> =
  process.env[VARIABLE] === undefined ? {} : { [VARIABLE]: process.env[VARIABLE] }

/** Makes one folder of compiled code for all workers of a run. Vitest calls this function before the first test. */
export function setup(): void {
  const folder = mkdtempSync(join(tmpdir(), 'compiled-'))
  process.env[VARIABLE] = folder
  // Not in a teardown: the last workers may still write.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
}
