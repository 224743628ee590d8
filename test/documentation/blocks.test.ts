import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { withBlock } from './block.ts'
import { BLOCKS } from './blocks.ts'

test.each(BLOCKS)('$file has the $name that npm run docs writes from the code', async (block) => {
  const text = readFileSync(fileURLToPath(new URL(`../../${block.file}`, import.meta.url)), 'utf8')
  expect(text).toBe(await withBlock(text, block))
})
