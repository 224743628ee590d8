import { generateKeyPairSync } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { keyFingerprint, publicKeyPem } from '../../../features/token/viewer-token/content-key.ts'
import type { Outcome } from '../../cli/terminal/command.ts'

const FILE_FAULTS: Readonly<Record<string, string>> = {
  EEXIST: 'exists already. A new key would lock out all viewers of a channel or video that uses it',
  ENOENT: 'is in a folder that does not exist',
  EACCES: 'is in a folder that this user may not write to',
}

/**
 * Generates an RSA key pair for a channel or video. Writes the private key (PKCS#8, PEM) to a new file for this
 * user only; no terminal ever shows the key. Replaces no file.
 * @param publicFile the new file for the public key. Null prints it.
 */
export function generateKeyPair(privateFile: string, publicFile: string | null, bits: number): Outcome {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  const publicKey = publicKeyPem(privateKey)
  const fingerprint = keyFingerprint(privateKey)
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const privateFault = writeNew(privateFile, pem, 0o600)
  if (privateFault !== null) return { ok: false, fault: privateFault }
  const publicFault = publicFile === null ? null : writeNew(publicFile, publicKey, 0o644)
  if (publicFault !== null) {
    rmSync(privateFile)
    return { ok: false, fault: publicFault }
  }
  const where =
    publicFile === null ? publicKey.trimEnd() : `The public key is in ${publicFile}. SHA-256: ${fingerprint}`
  return {
    ok: true,
    text: where,
    data: {
      bits,
      fingerprint,
      privateKeyFile: privateFile,
      ...(publicFile === null ? { publicKey } : { publicKeyFile: publicFile }),
    },
  }
}

/** Returns the fault; null if the file was written. */
function writeNew(file: string, text: string, mode: number): string | null {
  try {
    writeFileSync(file, text, { flag: 'wx', mode, flush: true })
    return null
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    const fault = FILE_FAULTS[code] ?? `cannot be written (${code})`
    return `The file ${JSON.stringify(file)} ${fault}. Nothing was written. Give another path.`
  }
}
