import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../terminal/command.ts'
import { addVariants, type HasVariants } from '../terminal/variant.ts'

const SECRET_BYTES = 32

/** Adds `secret generate`. */
export async function addSecretCommands(group: Command, context: CommandContext<HasVariants>): Promise<void> {
  const command = addCommand(
    group,
    'generate',
    'print a new secret of 256 random bits, for HASH_SECRET or SESSION_SECRET',
    [
      'viewer-auth secret generate',
      'viewer-auth secret generate > hash-secret   # then set HASH_SECRET_FILE=hash-secret',
    ],
  )
  const variants = await addVariants(command, 'secret generate', context.features)
  command.action((options: { json?: boolean }) => {
    const work = variants.map(({ run }) => run(context, command)).find((outcome) => outcome !== null)
    return runCommand(context, options.json, () => work ?? Promise.resolve(generateSecret()))
  })
}

/** Returns a new secret of 256 random bits. Hexadecimal needs no escaping in shells, files, forms and URLs. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex')
}

function generateSecret(): Outcome {
  const secret = newSecret()
  return { ok: true, text: secret, data: { secret } }
}
