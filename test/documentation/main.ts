import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { withBlock } from './block.ts'
import { BLOCKS } from './blocks.ts'

/** Writes the tables and lists that are made from the code into their files. */
for (const block of BLOCKS) {
  const path = fileURLToPath(new URL(`../../${block.file}`, import.meta.url))
  const before = readFileSync(path, 'utf8')
  const after = await withBlock(before, block)
  if (after !== before) writeFileSync(path, after)
  console.log(`${block.file}: ${block.name} ${after === before ? 'are up to date' : 'written'}`)
}
