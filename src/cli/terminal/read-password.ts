import { faultInNewPassword } from '../../users/passwords/new-password.ts'
import type { CommandIo } from './io.ts'
import { readStandardInput } from './read-standard-input.ts'
import { printable } from './text.ts'
import { untilInputEnds } from './until-input-ends.ts'

export type ReadPassword =
  | { readonly ok: true; readonly password: string }
  | { readonly ok: false; readonly fault: string }

const MOST_BYTES = 4096

/**
 * A new viewer's password: from VIEWER_PASSWORD, else asked for twice where somebody sits at the terminal, else the whole
 * of standard input without the line end that `echo` adds. Never from an argument, which every user of the machine sees.
 */
export async function readNewPassword(io: CommandIo, username: string): Promise<ReadPassword> {
  const fromEnvironment = io.env.VIEWER_PASSWORD
  if (fromEnvironment) return { ok: true, password: fromEnvironment }
  return io.stdin.isTTY ? await askTwice(io, username) : await readWhole(io.stdin, 'VIEWER_PASSWORD')
}

/** A password that exists already: from the environment, a prompt or standard input, likewise. */
export async function readKnownPassword(
  io: CommandIo,
  variable: 'SERVICE_PASSWORD' | 'VIEWER_PASSWORD',
  whose: string,
): Promise<ReadPassword> {
  const fromEnvironment = io.env[variable]
  if (fromEnvironment) return { ok: true, password: fromEnvironment }
  if (!io.stdin.isTTY) return await readWhole(io.stdin, variable)
  const { isCancel, password: promptForPassword } = await import('@clack/prompts')
  const message = `Password of ${printable(whose)}`
  const password = await untilInputEnds(io.stdin, (signal) =>
    promptForPassword({ message, input: io.stdin, output: io.stderr, clearOnError: true, signal }),
  )
  return isCancel(password) ? { ok: false, fault: 'Cancelled.' } : { ok: true, password }
}

async function askTwice(io: CommandIo, username: string): Promise<ReadPassword> {
  // Loaded for people only: scripts start sooner.
  const { isCancel, password: promptForPassword } = await import('@clack/prompts')
  // Not standard output, which may go to a file or, with --json, to a program.
  const streams = { input: io.stdin, output: io.stderr, clearOnError: true }
  const password = await untilInputEnds(io.stdin, (signal) =>
    promptForPassword({
      ...streams,
      signal,
      message: `Password for ${printable(username)}`,
      validate: async (text = '') => (await faultInNewPassword(text, [username])) ?? undefined,
    }),
  )
  if (isCancel(password)) return { ok: false, fault: 'Cancelled; nothing was changed.' }
  const repeated = await untilInputEnds(io.stdin, (signal) =>
    promptForPassword({
      ...streams,
      signal,
      message: 'The same password again',
      validate: (text) => (text === password ? undefined : 'This is not the same password.'),
    }),
  )
  return isCancel(repeated) ? { ok: false, fault: 'Cancelled; nothing was changed.' } : { ok: true, password }
}

async function readWhole(stdin: CommandIo['stdin'], variable: string): Promise<ReadPassword> {
  const read = await readStandardInput(stdin, MOST_BYTES)
  if (!read.ok) return read
  if (read.text !== '') return { ok: true, password: read.text }
  return {
    ok: false,
    fault: `No password: give it on standard input, in ${variable} or at the prompt of a terminal.`,
  }
}
