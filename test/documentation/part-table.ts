import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readParts } from '../../src/tools/slim/parts.ts'
import { type Block, table } from './block.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The kinds of parts that viewers and operators notice, in the order of the table. */
const KINDS = ['user store', 'answer', 'feature']

/** The table of user stores, answers and features. Each name is the one that `npm run slim -- --keep` takes. */
export const partTable: Block = {
  name: 'parts',
  file: 'README.md',
  lines() {
    const files = globSync('{src,test}/**/{part.json,*.part.json}', { cwd: ROOT })
    const parts = readParts(new Map(files.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')])))
    const rows = KINDS.flatMap((kind) =>
      parts
        .filter((part) => part.choice && !part.always && part.kind === kind)
        .map(({ name, folder, about }) => [`[${name}](${pageOf(folder)})`, kind, about]),
    )
    return table(['name', 'kind', 'about'], rows)
  },
}

/** Finds the README of a part. The folder stands in for a missing README. */
function pageOf(folder: string): string {
  const [page = folder] = globSync([`${folder}/README.md`, `${folder}/*/README.md`], { cwd: ROOT }).sort(
    (a, b) => a.length - b.length,
  )
  return page
}
