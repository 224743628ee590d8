import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { addCommand, type CommandContext, runCommand } from '../command.ts'

const SECRET_BYTES = 32

/** Adds `secret generate`. */
export function addSecretCommands(group: Command, context: CommandContext): void {
  addCommand(group, 'generate', 'print a new secret of 256 random bits, for HASH_SECRET or SESSION_SECRET', [
    'viewer-auth secret generate',
    'viewer-auth secret generate > hash-secret   # then set HASH_SECRET_FILE=hash-secret',
  ]).action(({ json }: { json?: boolean }) =>
    runCommand(context, json, () => {
      // Hexadecimal needs no escaping in shells, files, forms and URLs.
      const secret = randomBytes(SECRET_BYTES).toString('hex')
      return Promise.resolve({ ok: true, text: secret, data: { secret } })
    }),
  )
}
