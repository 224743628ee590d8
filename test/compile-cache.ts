import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const VARIABLE = 'NODE_COMPILE_CACHE'

/** For the environment of a program that a test starts: the program takes compiled code from earlier starts. */
export const compileCache: Readonly<Record<string, string>> =
  process.env[VARIABLE] === undefined ? {} : { [VARIABLE]: process.env[VARIABLE] }

/** Makes one folder of compiled code for all workers of a run. Vitest calls this function before the first test. */
export function setup(): void {
  process.env[VARIABLE] = mkdtempSync(join(tmpdir(), 'compiled-'))
}

/** Removes the folder. Vitest calls this function after the last test. */
export function teardown(): void {
  rmSync(process.env[VARIABLE] ?? '', { recursive: true, force: true, maxRetries: 3 })
}
