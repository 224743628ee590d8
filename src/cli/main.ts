import { constants } from 'node:os'
import { threadPoolSize } from '../users/passwords/hashing-queue.ts'
import { runCommandLine } from './program.ts'
import { onInterrupt } from './terminal/interrupts.ts'

// Before the first use of the pool, which is when libuv reads it.
process.env.UV_THREADPOOL_SIZE ??= String(threadPoolSize())

// `viewers list | head` closes the pipe early: that is an end, not a failure.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code !== 'EPIPE') process.stderr.write(`Failed: Standard output cannot be written (${code}).\n`)
  process.exit(code === 'EPIPE' ? 0 : 1)
})
// Nobody listens to what is said: the work goes on, and the exit status tells how it went.
process.stderr.on('error', () => {})

// By process.exit(), so that what tidies up is run. SIGHUP comes when the terminal is closed; a program of Node's is not
// spared it by nohup, since Node undoes at its start what was to be ignored.
for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(128 + constants.signals[signal]))
}

/**
 * The environment wins over the file .env, which need not be there. Node's own option for it says on standard error that
 * there is none, at every command.
 */
function readEnvFile(): string | null {
  try {
    process.loadEnvFile('.env')
    return null
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? null : `The file .env cannot be read (${code}).`
  }
}

const { env, stdin, stdout, stderr } = process
const faultInEnvFile = readEnvFile()
if (faultInEnvFile === null) {
  process.exitCode = await runCommandLine(process.argv.slice(2), { env, stdin, stdout, stderr, onInterrupt })
} else {
  stderr.write(`Failed: ${faultInEnvFile}\n`)
  process.exitCode = 1
}
