import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const page = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
const MODULE = /\boidcc-client-test(-[a-z0-9]+)*\b/g

test('README.md says of exactly the modules with a test that they are tested', () => {
  const rows = page('README.md').matchAll(/^\| (`.+`) \| tested/gm)
  const named = [...rows].flatMap(([, modules = '']) => modules.match(MODULE) ?? [])
  const tests = ['sign-in.app.test.ts', 'logout.app.test.ts'].flatMap((file) => page(file).match(MODULE) ?? [])
  expect(named.toSorted()).toEqual([...new Set(tests)].toSorted())
})
