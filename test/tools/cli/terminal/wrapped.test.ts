import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { findingLine } from '../../../../src/tools/cli/terminal/finding-line.ts'
import { printableParagraphs } from '../../../../src/tools/cli/terminal/text.ts'

const streamOf = (isTTY: boolean, columns: number) => Object.assign(new Writable(), { isTTY, columns })
const SENTENCE = 'The clock of this machine is 40 s behind the clock of the service.'

test('a terminal shows a finding in lines of its width, with an indent', () => {
  expect(findingLine('warning', SENTENCE, streamOf(true, 60)).split('\n')).toEqual([
    expect.stringMatching(/ The clock of this machine is 40 s behind the clock$/),
    '         of the service.',
  ])
})

test('a file keeps a finding in one line', () => {
  expect(findingLine('warning', SENTENCE, streamOf(false, 40))).toContain(SENTENCE)
})

test('a terminal keeps commands whole', () => {
  const text = `${SENTENCE}\n  npm run -s viewer-auth -- lock set --channel 1002`
  expect(printableParagraphs(text, streamOf(true, 40)).split('\n')).toEqual([
    'The clock of this machine is 40 s behind',
    'the clock of the service.',
    '  npm run -s viewer-auth -- lock set --channel 1002',
  ])
})
