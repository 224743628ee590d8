import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { runCommandLine } from '../../../src/tools/cli/program.ts'
import { features } from '../../../src/tools/features.ts'
import { userStores } from '../../../src/users/open-user-store.ts'
import type { Ended, RunOptions } from './run-program.ts'

interface RunHereOptions extends Omit<RunOptions, 'stdin'> {
  /** The whole standard input, or a stream. */
  readonly stdin?: RunOptions['stdin'] | Readable
  /** False: no settings but those of `env`. */
  readonly hasDefaults?: boolean
  /** Acts as Ctrl-C when it resolves. */
  readonly interrupted?: Promise<unknown>
}

/** Runs a command in this process, with its default file of viewers below `cwd`. Much faster than starting a process. */
export async function runHere(
  args: readonly string[],
  { stdin = '', env = {}, cwd, hasDefaults = true, interrupted }: RunHereOptions,
): Promise<Ended> {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const texts = Promise.all([stdout.toArray(), stderr.toArray()])
  const file = userStores.fileOf()
  // The log of an app in this folder is not of the test.
  const defaults = { ...(file !== null && { USER_STORE_URL: `sqlite:${join(cwd, file)}` }), SECURITY_LOG_FILE: 'off' }
  const status = await runCommandLine(
    args,
    {
      env: { ...(hasDefaults && defaults), ...env },
      folder: cwd,
      stdin: stdin instanceof Readable ? stdin : Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
      stdout,
      stderr,
      onInterrupt: (listener) => {
        void interrupted?.then(listener)
        return () => {}
      },
    },
    features,
  )
  stdout.end()
  stderr.end()
  const [out, err] = await texts
  return { status, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }
}
