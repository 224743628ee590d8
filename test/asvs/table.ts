import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

/** The file with the requirements, their states and their proofs. */
export const TABLE_FILE = fileURLToPath(new URL('../../src/login/asvs.md', import.meta.url))

const STATES = ['met', 'partly', 'deviation', 'not applicable'] as const
const PARTS = ['core', 'further'] as const

const Row = z.strictObject({
  part: z.enum(PARTS),
  id: z.string().regex(/^\d{1,2}\.\d{1,2}\.\d{1,2}$/),
  level: z.coerce.number().int().min(1).max(3),
  requirement: z.string().min(5),
  state: z.enum(STATES),
  proof: z.string().min(5),
})

/** One requirement. Its proof names tests or documents, or is a reason. */
export type Row = z.infer<typeof Row>

/** Reads the tables of both parts. @throws z.ZodError for a row of another form. */
export function readTable(): Row[] {
  const text = readFileSync(TABLE_FILE, 'utf8')
  return PARTS.flatMap((part) => {
    const heading = `\n## ${part === 'core' ? 'Core' : 'Further'}\n`
    const [section = ''] = text.slice(text.indexOf(heading) + heading.length).split('\n## ')
    const lines = section.split('\n').filter((line) => /^\| \d/.test(line))
    return lines.map((line) => {
      const [id, level, requirement, state, proof, ...more] = line.replace(/^\| | \|$/g, '').split(' | ')
      return Row.parse({ part, id, level, requirement, state, proof: [proof, ...more].join(' | ') })
    })
  })
}

/** Requirements of a program: what guards need of them. */
export type ProvenRow = Pick<Row, 'id' | 'proof'>

/** Folders with a table of their own, in `src` and `test`. Such a table names its test files from the folder. */
// biome-ignore format: one item a line
const FOLDERS: readonly string[] = [
  'tools/manager',
]

/** Reads the requirements of programs beside the login app. */
export function readFurtherRows(): ProvenRow[] {
  return FOLDERS.flatMap((folder) => {
    const text = readFileSync(new URL(`../../src/${folder}/asvs.md`, import.meta.url), 'utf8')
    const rows = text.matchAll(/^\| (\d[\d.]+) \| \d \| .*? \| (`.*) \|$/gm)
    return [...rows].map(([, id = '', proof = '']) => {
      return { id, proof: proof.replace(/`(?=[\w./-]+\.ts`)/g, `\`${folder}/`) }
    })
  })
}

/** Returns the tests that a proof names: the file below test/, and the title as it is in the source. */
export function testsIn(proof: string): { readonly file: string; readonly title: string }[] {
  return [...proof.matchAll(/`([\w./-]+\.ts)` "([^"]+)"/g)].map(([, file = '', title = '']) => ({ file, title }))
}

/** Returns the files that a proof links to, relative to the table. */
export function documentsIn(proof: string): string[] {
  return [...proof.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target)
}

/** Counts the requirements of one part by their state. */
export function scoreOf(rows: readonly Row[], part: Row['part']): Record<Row['state'], number> {
  const ofPart = rows.filter((row) => row.part === part)
  const count = (state: Row['state']) => ofPart.filter((row) => row.state === state).length
  return {
    met: count('met'),
    partly: count('partly'),
    deviation: count('deviation'),
    'not applicable': count('not applicable'),
  }
}
