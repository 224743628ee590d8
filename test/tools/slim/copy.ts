import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installPackages } from './install.ts'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')

export interface Copy {
  readonly folder: string
  /** Runs a shell command in the copy. @returns its status and its output. */
  run(command: string): Promise<{ ok: boolean; output: string }>
  /** Installs the packages of the copy's own lock file, which only names packages of this checkout. */
  install(): void
  /** Takes back all changes. */
  reset(): Promise<void>
  remove(): void
}

/** Makes a copy of a commit, with the packages of this checkout. */
export async function copyOf(commit: string): Promise<Copy> {
  const folder = mkdtempSync(join(tmpdir(), 'fork-'))
  // The Node of the project, whatever the machine's own is.
  const env = { ...process.env, PATH: `${join(folder, 'node_modules/.bin')}:${process.env.PATH}` }
  const run = (command: string) =>
    new Promise<{ ok: boolean; output: string }>((resolve) => {
      execFile('sh', ['-c', command], { cwd: folder, env, maxBuffer: 1 << 28 }, (error, stdout, stderr) =>
        resolve({ ok: error === null, output: stdout + stderr }),
      )
    })
  const must = async (command: string) => {
    const { ok, output } = await run(command)
    if (!ok) throw new Error(`${command}: ${output}`)
  }
  await must(`git clone --quiet '${ROOT}' . && git checkout --quiet -B main ${commit}`)
  await must(
    'echo node_modules >> .git/info/exclude && git config user.name Ada && git config user.email ada@example.com',
  )
  const install = () => installPackages(folder, ROOT)
  install()
  return {
    folder,
    run,
    install,
    reset: () => must('git reset --quiet --hard && git clean --quiet --force -d'),
    remove: () => rmSync(folder, { recursive: true }),
  }
}
