import { expect, test } from 'vitest'
import { runDrill } from '../../../../src/tools/cli/drill/crowd/run-drill.ts'
import { BY_PASSWORD } from '../../../../src/tools/cli/drill/crowd/sign-in-form.ts'
import { closedAddress } from '../../video-service/test-service.ts'

const timers = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length

test('a mark that cannot do its work ends the drill at once, with its error', async () => {
  const viewer = { username: 'ada', password: 'x' }
  const broken = () => {
    throw new Error('the file is gone')
  }
  const shown: string[] = []
  const drill = {
    url: await closedAddress(),
    startsAtMs: Date.now(),
    visits: [{ viewer, arrivesAtMs: 60_000, wrongPasswords: 0, returnsAfterMs: null }],
    commands: [],
    marks: [
      { atMs: 0, words: 'first' },
      { atMs: 50, words: 'second', act: broken },
      { atMs: 60_000, words: 'third' },
    ],
    expected: { secrets: [], usernameParameters: [] },
    form: BY_PASSWORD,
    overMs: 60_000,
    recoverWithinMs: 30_000,
  }
  const before = timers()
  const deps = { env: {}, stop: new AbortController().signal, onStart: () => {}, onCommand: () => {} }
  const running = runDrill(drill, { ...deps, onMark: ({ words }) => void shown.push(words) })
  await expect(running).rejects.toThrow('the file is gone')
  expect(shown).toEqual(['first'])
  // No viewer waits any more.
  expect(timers()).toBeLessThanOrEqual(before)
})
