import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { changedText } from '../../../../src/tools/cli/setup/env-file.ts'

test.each<[string, string, Record<string, string>, string]>([
  ['a value is replaced in its line', 'A=1\nB=2\n', { A: '3' }, 'A=3\nB=2\n'],
  ['the last of two lines is replaced', 'A=1\nA=2\n', { A: '3' }, 'A=1\nA=3\n'],
  ['the comment of a line stays', 'A=1 # why\n', { A: '3' }, 'A=3 # why\n'],
  ['the end of a line of Windows stays', 'A=1\r\nB=2\r\n', { A: '3' }, 'A=3\r\nB=2\r\n'],
  ['a setting comes after its default in a comment', '# why\n#A=1\nB=2\n', { A: '3' }, '# why\n#A=1\nA=3\nB=2\n'],
  ['a new setting comes at the end', '# note\nB=2\n', { A: '3' }, '# note\nB=2\nA=3\n'],
  ['a text without a last line end gets a line', 'B=2', { A: '3' }, 'B=2\nA=3'],
  ['an empty text gets a line', '', { A: '3' }, 'A=3\n'],
  ['a value that stays keeps its quotation marks', "A='1'\n", { A: '1' }, "A='1'\n"],
  ['a value with # is quoted', 'A=1\n', { A: 'a #b' }, "A='a #b'\n"],
  ['a value with a quotation mark gets another one', 'A=1\n', { A: "it's #1" }, 'A="it\'s #1"\n'],
])('%s', (_case, text, changes, expected) => {
  const changed = changedText(text, changes)
  expect(changed).toBe(expected)
  expect({ ...parseEnv(changed) }).toEqual({ ...parseEnv(text), ...changes })
})

test.each<[string, string, Record<string, string>]>([
  ['a setting of several lines', 'A="1\nB=2"\n', { A: '3' }],
  ['a value with a line break and all quotation marks', '', { A: '\n\'"`' }],
])('%s is refused', (_case, text, changes) => {
  expect(() => changedText(text, changes)).toThrow(/^\.env has several lines|cannot stand in \.env/)
})
