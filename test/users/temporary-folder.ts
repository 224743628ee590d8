import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A new folder that goes away with the running test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'viewers-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
