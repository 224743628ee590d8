import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './copy.ts'

const PAGE = readFileSync(join(ROOT, '.github/FORKING.md'), 'utf8')
/** The program with an own feature of the page, as a fork writes it. */
export const FILES = [...PAGE.matchAll(/^`([\w./-]+\.ts)`[^\n]*:\n```ts\n([\s\S]*?)```/gm)]
const LISTS = [
  ['src/features.ts', './features/weekdays/feature.ts'],
  ['src/tools/features.ts', './features/weekdays/tools.ts'],
] as const

/** Adds the feature of the page to a fork. A list that the fork does not have yet gets no line. */
export function addFeature(folder: string): void {
  for (const [, path = '', text = ''] of FILES) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const [list, address] of LISTS) {
    const file = join(folder, list)
    if (!existsSync(file)) continue
    const before = readFileSync(file, 'utf8')
    const line = before.includes('FEATURES = {}') ? 'FEATURES = { weekdays }' : 'FEATURES = {\n  weekdays,'
    writeFileSync(file, `import { weekdays } from '${address}'\n${before.replace(/FEATURES = \{\}?/, line)}`)
  }
}

/** Reads the lines of the page that take in a release, for a person with the machine's own Node and npm. */
export function linesOfRelease(kit: string, release: string): string[] {
  const [, block = ''] = /^## Take in a release\n+```sh\n([\s\S]*?)```/m.exec(PAGE) ?? []
  const path = process.env.PATH?.split(':').filter((folder) => !folder.includes('node_modules'))
  return block
    .trimEnd()
    .split('\n')
    .map((line) => `PATH='${path?.join(':')}'; ${line.replace(' URL ', ` '${kit}' `).replace('v1.2.0', release)}`)
}
