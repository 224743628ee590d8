import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { withBlock } from './block.ts'
import { BLOCKS } from './blocks.ts'

// `npm run docs` mends the file.
test.each(BLOCKS)('$file has the $name of the code', async (block) => {
  const text = readFileSync(fileURLToPath(new URL(`../../${block.file}`, import.meta.url)), 'utf8')
  expect(text).toBe(await withBlock(text, block))
})
