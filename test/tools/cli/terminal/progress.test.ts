import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { startProgress } from '../../../../src/tools/cli/terminal/progress.ts'

test('a progress bar gives no time before there is progress, and leaves out an empty label', () => {
  const written: string[] = []
  const stderr = Object.assign(
    new Writable({
      decodeStrings: false,
      write(text: string, _encoding, done) {
        written.push(text)
        done()
      },
    }),
    { isTTY: true },
  )
  const progress = startProgress({ stderr, env: { TERM: 'xterm' } }, 200)
  progress.update(0, '')
  progress.update(100, '100 rows')
  expect(written.map((line) => line.replace(/^.*[█░]+ /s, ''))).toEqual([
    '0 %',
    expect.stringMatching(/^50 % · 100 rows · \d s left$/),
  ])
})
