import { join } from 'node:path'
import { viewersUrl } from '../../../users/sqlite/viewers-url.ts'
import { runHere as runCommandHere } from '../run-here.ts'

/** Runs a command in this process, with viewers in the file that the program has by default. */
export const runHere: typeof runCommandHere = (args, options) => {
  const env = { USER_STORE_URL: viewersUrl(join(options.cwd, 'data')), ...options.env }
  return runCommandHere(args, { ...options, env })
}
