import { Option } from 'commander'
import type { Variant } from '../../cli/terminal/variant.ts'
import { generateKeyPair } from './key-pair.ts'

const ABOUT = `
With --key-pair, writes the private key of a channel or video to a new file, which only this user can read, and prints
its public key. The service needs the public key. Use one key pair for each channel or video.`

interface Options {
  readonly keyPair?: string
  readonly publicKey?: string
  readonly bits: string
}

/** The option `--key-pair` of `secret generate`. */
export const keyPair: Variant = {
  example: 'viewer-auth secret generate --key-pair content-key.pem   # then set CONTENT_KEY_FILE=content-key.pem',
  about: ABOUT,
  addOptions: (command) =>
    command
      .option('--key-pair <FILE>', 'write the private key of a new RSA key pair to this new file')
      .option('--public-key <FILE>', 'write its public key to this new file, and do not print it')
      .addOption(
        new Option('--bits <NUMBER>', 'the length of the keys').choices(['2048', '3072', '4096']).default('2048'),
      ),
  run(_context, command) {
    const { keyPair: file, publicKey, bits } = command.opts<Options>()
    if (file !== undefined) return Promise.resolve(generateKeyPair(file, publicKey ?? null, Number(bits)))
    if (publicKey !== undefined || command.getOptionValueSource('bits') === 'cli') {
      command.error('error: --public-key and --bits belong to --key-pair FILE')
    }
    return null
  },
}
