import { randomBytes } from 'node:crypto'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { addCommand, addNotes, type CommandContext, runCommand } from '../command.ts'
import { generateKeyPair } from './key-pair.ts'

const SECRET_BYTES = 32
const KEY_BITS = 2048
const ABOUT = `
With --key-pair, writes the private key of a channel or video to a new file, which only this user can read, and prints
its public key. The service needs the public key. Use one key pair for each channel or video.`

interface Options {
  readonly json?: boolean
  readonly keyPair?: string
  readonly publicKey?: string
  readonly bits: number
}

/** Adds `secret generate`. */
export function addSecretCommands(group: Command, context: CommandContext): void {
  const command = addCommand(
    group,
    'generate',
    'print a new secret of 256 random bits, for HASH_SECRET or SESSION_SECRET',
    [
      'viewer-auth secret generate',
      'viewer-auth secret generate > hash-secret   # then set HASH_SECRET_FILE=hash-secret',
      'viewer-auth secret generate --key-pair content-key.pem   # then set CONTENT_KEY_FILE=content-key.pem',
    ],
  )
  addNotes(command, ABOUT)
    .option('--key-pair <FILE>', 'write the private key of a new RSA key pair to this new file')
    .option('--public-key <FILE>', 'write its public key to this new file, and do not print it')
    .addOption(
      new Option('--bits <NUMBER>', 'the length of the keys: 2048, 3072 or 4096')
        .argParser(parseBits)
        .default(KEY_BITS),
    )
    .action((options: Options, command: Command) => {
      const { keyPair, publicKey, bits, json } = options
      const isForKeyPair = publicKey !== undefined || command.getOptionValueSource('bits') === 'cli'
      if (keyPair === undefined && isForKeyPair) {
        command.error('error: --public-key and --bits belong to --key-pair FILE')
      }
      return runCommand(context, json, () =>
        Promise.resolve(keyPair === undefined ? generateSecret() : generateKeyPair(keyPair, publicKey ?? null, bits)),
      )
    })
}

function generateSecret() {
  // Hexadecimal needs no escaping in shells, files, forms and URLs.
  const secret = randomBytes(SECRET_BYTES).toString('hex')
  return { ok: true, text: secret, data: { secret } } as const
}

function parseBits(text: string): number {
  if (['2048', '3072', '4096'].includes(text)) return Number(text)
  throw new InvalidArgumentError('Use 2048, 3072 or 4096.')
}
