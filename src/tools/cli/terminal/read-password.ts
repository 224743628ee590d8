import type { PasswordOptions } from '@clack/prompts'
import { faultInNewPassword } from '../../../users/passwords/new-password.ts'
import { cancelAtEndOfInput } from './confirm.ts'
import type { CommandIo } from './io.ts'
import { type ReadText, readStandardInput } from './read-standard-input.ts'
import { printable } from './text.ts'

const MAX_BYTES = 4096
const MAX_ADDRESS_BYTES = 16_384

/**
 * Reads a new password: from VIEWER_PASSWORD, from two prompts at a terminal, or from standard input without its last
 * line end. Passwords are never arguments, because every user of the machine can see the arguments of a program.
 */
export async function readNewPassword(
  io: CommandIo,
  username: string,
  contextWords: readonly string[],
): Promise<ReadText> {
  const fromEnvironment = io.env.VIEWER_PASSWORD
  if (fromEnvironment) return { ok: true, text: fromEnvironment }
  return io.stdin.isTTY ? await promptTwice(io, username, contextWords) : await readPiped(io.stdin, 'VIEWER_PASSWORD')
}

/** Reads an existing password or code: from the environment, one prompt at a terminal, or standard input. */
export async function readKnownPassword(
  io: CommandIo,
  variable: 'SERVICE_PASSWORD' | 'VIEWER_PASSWORD' | 'VIEWER_CODE',
  owner: string,
  what = 'Password',
): Promise<ReadText> {
  const fromEnvironment = io.env[variable]
  if (fromEnvironment) return { ok: true, text: fromEnvironment }
  if (!io.stdin.isTTY) return await readPiped(io.stdin, variable, what)
  return await promptOnce(io, `${what} of ${printable(owner)}`)
}

/** Reads the address that a browser shows after the authorization page: hidden like a password, because it has a code. */
export async function readPastedAddress(io: CommandIo): Promise<ReadText> {
  const read = io.stdin.isTTY
    ? await promptOnce(io, 'Paste the address here')
    : await readStandardInput(io.stdin, MAX_ADDRESS_BYTES)
  return read.ok ? { ok: true, text: read.text.trim() } : read
}

async function promptOnce(io: CommandIo, message: string): Promise<ReadText> {
  const text = await promptFor(io, message)
  return text === null ? { ok: false, fault: 'Canceled.' } : { ok: true, text }
}

async function promptTwice(io: CommandIo, username: string, contextWords: readonly string[]): Promise<ReadText> {
  const cancelled = { ok: false, fault: 'Canceled. Nothing was changed.' } as const
  const faultIn = async (text = '') => (await faultInNewPassword(text, username, contextWords)) ?? undefined
  const password = await promptFor(io, `Password for ${printable(username)}`, faultIn)
  if (password === null) return cancelled
  const isRepeated = (text?: string) => (text === password ? undefined : 'The passwords do not match.')
  const repeated = await promptFor(io, 'Repeat the password', isRepeated)
  return repeated === null ? cancelled : { ok: true, text: password }
}

/** Asks at a terminal. @param validate returns why the text is refused. @returns null after a cancel. */
async function promptFor(
  io: CommandIo,
  message: string,
  validate: PasswordOptions['validate'] = () => undefined,
): Promise<string | null> {
  // Loaded only at a terminal, so that scripts start sooner.
  const { isCancel, password: promptForPassword } = await import('@clack/prompts')
  // Standard output may be a file or, with --json, the input of another program.
  const streams = { input: io.stdin, output: io.stderr }
  const typed = await cancelAtEndOfInput(io.stdin, (signal) =>
    promptForPassword({ ...streams, message, validate, signal, clearOnError: true }),
  )
  return isCancel(typed) ? null : typed
}

async function readPiped(stdin: CommandIo['stdin'], variable: string, what = 'Password'): Promise<ReadText> {
  const read = await readStandardInput(stdin, MAX_BYTES)
  if (!read.ok || read.text !== '') return read
  const fault = `No ${what.toLowerCase()}. Give it on standard input, in ${variable}, or at a terminal.`
  return { ok: false, fault }
}
