import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

const TESTS = fileURLToPath(new URL('..', import.meta.url))

/** Fails unless a file below test/ has a test with this title, as it is in the source, and skips none. */
export function expectNamedTest(file: string, title: string): void {
  const text = readFileSync(`${TESTS}${file}`, 'utf8')
  expect(["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote},`))).toBe(true)
  expect(text).not.toMatch(/\b(test|describe|it)\.(skip|skipIf|runIf|todo|fails|only)\b/)
}
