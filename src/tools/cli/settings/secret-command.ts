import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { keyPair } from '../../features/token/key-pair-option.ts'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../command.ts'
import type { SecretKind } from './secret-kind.ts'

const SECRET_BYTES = 32

/** What `secret generate` makes in place of a secret, if its options say so. */
const KINDS: readonly SecretKind[] = [
  keyPair, //
]

/** Adds `secret generate`. */
export function addSecretCommands(group: Command, context: CommandContext): void {
  const command = addCommand(
    group,
    'generate',
    'print a new secret of 256 random bits, for HASH_SECRET or SESSION_SECRET',
    [
      'viewer-auth secret generate',
      'viewer-auth secret generate > hash-secret   # then set HASH_SECRET_FILE=hash-secret',
      ...KINDS.map(({ example }) => example),
    ],
  )
  for (const { addOptions } of KINDS) addOptions(command)
  command.action((options: { json?: boolean }) =>
    runCommand(context, options.json, () => {
      const made = KINDS.map(({ generate }) => generate(command)).find((outcome) => outcome !== null)
      return Promise.resolve(made ?? generateSecret())
    }),
  )
}

/** Returns a new secret of 256 random bits. Hexadecimal needs no escaping in shells, files, forms and URLs. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex')
}

function generateSecret(): Outcome {
  const secret = newSecret()
  return { ok: true, text: secret, data: { secret } }
}
