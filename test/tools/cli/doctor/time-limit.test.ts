import { PassThrough } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { interruptedBy, startTimeLimit } from '../../../../src/tools/cli/doctor/time-limit.ts'

test('the time of a run ends, aborts the checks, and names what the doctor waits for', async () => {
  const time = startTimeLimit({ stderr: new PassThrough() }, 20)
  time.waitFor('the video service')
  expect(await time.orNull(wait(5_000))).toBeNull()
  expect(time.signal.aborted).toBe(true)
  expect(time.finding()).toMatchObject({ state: 'unknown', text: expect.stringContaining('the video service') })
  time.stop()
})

test('work that is done in time keeps its result', async () => {
  const time = startTimeLimit({ stderr: new PassThrough() }, 5_000)
  expect(await time.orNull(Promise.resolve('done'))).toBe('done')
  expect(time.signal.aborted).toBe(false)
  time.stop()
})

test('the end of the time interrupts work that waits for interrupts', async () => {
  const stderr = new PassThrough()
  const time = startTimeLimit({ stderr }, 20)
  const io = { env: {}, stdin: new PassThrough(), stdout: new PassThrough(), stderr, onInterrupt: () => () => {} }
  const interrupted = new Promise<string>((resolve) => {
    interruptedBy(time.signal, io).onInterrupt(() => resolve('interrupted'))
  })
  expect(await interrupted).toBe('interrupted')
  time.stop()
})
