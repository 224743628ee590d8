import { randomBytes } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { SecretFiles } from '../../../../entry-points/entry-point.ts'
import { Secret } from '../../../../settings/secret.ts'

/** A change of the secret in the files. At every moment, the files hold every secret that a lock may have. */
export type SecretChange = ReturnType<typeof beginChange>

const SECRET_BYTES = 32

/** Names the file that holds the new secret until every lock has it. A command that was stopped continues with it. */
export function pendingFile(files: SecretFiles): string {
  return `${files.secret}.next`
}

/** Returns the new secret of a change that was not finished; null without one. */
export function pendingSecret(files: SecretFiles): string | null {
  try {
    const parsed = Secret.safeParse(readFileSync(pendingFile(files), 'utf8').trim())
    // Only a command that was stopped before it changed a lock leaves half a secret.
    return parsed.success ? parsed.data : null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Returns why the files cannot be changed, as a sentence; null if they can. */
export function faultInFiles(files: SecretFiles): string | null {
  for (const path of [files.secret, files.previous, dirname(files.secret)]) {
    try {
      accessSync(path, constants.W_OK)
    } catch (error) {
      return `Cannot write ${path} (${(error as NodeJS.ErrnoException).code}).`
    }
  }
  const current = statSync(files.secret)
  const previous = statSync(files.previous)
  const isSameFile = current.dev === previous.dev && current.ino === previous.ino
  return isSameFile ? `${files.secret} and ${files.previous} are the same file.` : null
}

/**
 * Begins a change, or continues one that was not finished.
 * @param current the secret that the locks have.
 * @throws the error of the file system, with its `code`. The files are then as before.
 */
export function beginChange(files: SecretFiles, current: string) {
  const pending = pendingSecret(files)
  const next = pending ?? randomBytes(SECRET_BYTES).toString('hex')
  const previous = readFileSync(files.previous, 'utf8')
  const forget = () => rmSync(pendingFile(files), { force: true })
  const cancel = () => {
    replaceContent(files.previous, previous)
    forget()
  }
  if (pending === null) {
    forget()
    writeFileSync(pendingFile(files), `${next}\n`, { flag: 'wx', mode: 0o600, flush: true })
  }
  try {
    replaceContent(files.previous, `${next}\n`)
  } catch (error) {
    if (pending === null) forget()
    throw error
  }
  return {
    /** The new secret. It is in the file of the previous secret, so that the app already knows it. */
    next,
    /** Restores the files. Null for a change that an earlier command began: a lock may have its secret. */
    cancel: pending === null ? cancel : null,
    /** Makes the new secret the current one, and the old one the previous one. */
    finish(): void {
      replaceContent(files.secret, `${next}\n`)
      replaceContent(files.previous, current === next ? '' : `${current}\n`)
      forget()
    },
  }
}

/**
 * Writes in place. A container that mounts a single file would not see a new file of the same name. The line end makes a
 * mixture of a long old and a short new secret invalid.
 */
function replaceContent(path: string, text: string): void {
  const file = openSync(path, 'r+')
  try {
    writeSync(file, text, 0)
    ftruncateSync(file, Buffer.byteLength(text))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
