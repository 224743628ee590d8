import { enableCompileCache } from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'
import { threadPoolSize } from '../../users/passwords/hashing-queue.ts'
import { onInterrupt } from './terminal/io.ts'

// Compiled code of earlier commands: `--help` takes half the time. Not in /tmp, where another user could plant code.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url)))
const [{ runCommandLine }, { features }] = await Promise.all([import('./program.ts'), import('../features.ts')])

// libuv reads this at the first use of its thread pool.
process.env.UV_THREADPOOL_SIZE ??= String(threadPoolSize())

// `viewers list | head` closes the pipe early, which is not a failure.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') process.stderr.write(`Failed: Cannot write to standard output (${code}).\n`)
  process.exit(code === 'EPIPE' ? 0 : 1)
})
// If standard error is closed, the work continues. The exit status shows the result.
process.stderr.on('error', () => {})

// process.exit() runs the exit handlers, which clean up; a signal would not. SIGHUP comes when the terminal is closed.
// nohup does not help here, because Node resets ignored signals when it starts.
for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(128 + constants.signals[signal]))
}

/**
 * Loads the file .env if there is one. The environment wins over the file. Node's own option `--env-file-if-exists`
 * would print a message at every command when there is no file.
 * @returns an error message, or null.
 */
function loadEnvFile(): string | null {
  try {
    process.loadEnvFile('.env')
    return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? null : `Cannot read the file .env (${code}).`
  }
}

const { env, stdin, stdout, stderr } = process
// COLUMNS counts more than the width of the terminal, and also without a terminal.
const columns = Number(env.COLUMNS)
if (Number.isInteger(columns) && columns > 0) stdout.columns = columns
const envFileError = loadEnvFile()
if (envFileError === null) {
  process.exitCode = await runCommandLine(process.argv.slice(2), { env, stdin, stdout, stderr, onInterrupt }, features)
} else {
  stderr.write(`Failed: ${envFileError}\n`)
  process.exitCode = 1
}
