import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ProvenRow, readFurtherRows, readTable, testsIn } from './table.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A guard, and the tests that fail without it. */
export interface Guard {
  /** The ids of the requirements. Each has a test in `testFile` that fails without the guard. */
  readonly ids: readonly string[]
  /** The file with the guard. */
  readonly file: string
  /** The file with the tests, below test/, as the requirements name it. */
  readonly testFile: string
  readonly text: string
  readonly replacement: string
}

interface Guards {
  readonly guards: readonly Guard[]
  /** Why a requirement has no guard, by its id. */
  readonly reasons: ReadonlyMap<string, string>
}

const HEADER = /^([\d., ]+) ([^\s:]+) (\S+\.ts)$/
const REASON = /^([\d., ]+): (.+)$/

/** True for a fork, whose code may have gone with a feature. */
export const isFork = 'slim' in JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** Reads guards.txt. Its first lines describe its form. @throws Error for a line of another form. */
export function readGuards(): Guards {
  const lines = readFileSync(join(import.meta.dirname, 'guards.txt'), 'utf8')
  const guards: Guard[] = []
  const reasons = new Map<string, string>()
  for (const block of lines
    .replace(/^#.*\n/gm, '')
    .trim()
    .split(/\n\n+/)) {
    const [first = '', ...changes] = block.split('\n')
    const linesAfter = (mark: string) =>
      changes.flatMap((line) => (line.startsWith(mark) ? line.slice(mark.length) : [])).join('\n')
    const [, ids, file = '', testFile = ''] = HEADER.exec(first) ?? []
    const [, reasonless, reason = ''] = REASON.exec(first) ?? []
    if (ids !== undefined) {
      guards.push({ ids: ids.split(', '), file, testFile, text: linesAfter('- '), replacement: linesAfter('+ ') })
    } else if (reasonless !== undefined) for (const id of reasonless.split(', ')) reasons.set(id, reason)
    else throw new Error(`guards.txt has an unreadable line: ${first}`)
  }
  return { guards, reasons }
}

/** Returns the guards. In a fork, those whose requirement, code and tests are still there. */
export function presentGuards(): Guard[] {
  const { guards } = readGuards()
  if (!isFork) return [...guards]
  const rows = provenRows()
  return guards.flatMap((guard) => {
    const ids = guard.ids.filter((id) => testsOf(rows, id, guard).length > 0)
    return ids.length > 0 && timesFound(guard) > 0 ? [{ ...guard, ids }] : []
  })
}

/** Returns the requirements of the login app, and of the programs beside it. */
export function provenRows(): ProvenRow[] {
  return [...readTable(), ...readFurtherRows()]
}

/** Returns how often the text of a guard is in its file. */
export function timesFound({ file, text }: Guard): number {
  const path = join(ROOT, file)
  return existsSync(path) ? readFileSync(path, 'utf8').split(text).length - 1 : 0
}

/** Returns the titles of the tests of a requirement in the file of a guard. */
export function testsOf(rows: readonly ProvenRow[], id: string, { testFile }: Pick<Guard, 'testFile'>): string[] {
  const proofs = rows.filter((row) => row.id === id).flatMap(({ proof }) => testsIn(proof))
  return proofs.flatMap(({ file, title }) => (file === testFile ? title : []))
}
