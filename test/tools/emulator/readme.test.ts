import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readEmulatorSettings } from '../../../src/tools/emulator/settings.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const PAGES = globSync('{*.md,.github/**/*.md,src/**/*.md}', { cwd: ROOT })

test('the emulator understands its arguments in each example of a page', () => {
  const calls = PAGES.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/npm run emulator -- ([^#\n`]*)/g)].map(
      ([, args = '']) => args,
    ),
  )
  expect(calls.length).toBeGreaterThan(2)
  expect(calls.filter((args) => !readEmulatorSettings({}, args.trim().split(' ')).ok)).toEqual([])
})
