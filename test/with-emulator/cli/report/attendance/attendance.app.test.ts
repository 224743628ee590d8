import { expect, test } from 'vitest'
import { runHere } from '../../../../tools/cli/run-here.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { emulatorOfTest, environmentFor } from '../../../video-service/client.ts'

interface View {
  readonly viewer_identifier: string | null
  readonly started_at: string
  readonly finished_at: string
}

/** Returns the minutes of each viewer, counted second by second. */
function minutesOf(views: readonly View[], fromSeconds: number, toSeconds: number): Map<string, number> {
  const seconds = new Map<string, Set<number>>()
  for (const { viewer_identifier: viewer, started_at, finished_at } of views) {
    if (viewer === null) continue
    const of = seconds.get(viewer) ?? new Set()
    seconds.set(viewer, of)
    const [start, end] = [started_at, finished_at].map((time) => Date.parse(time) / 1000)
    for (let at = Math.max(start ?? 0, fromSeconds); at < Math.min(end ?? 0, toSeconds); at += 1) of.add(at)
  }
  return new Map([...seconds].map(([viewer, { size }]) => [viewer, Math.round((size / 60) * 100) / 100]))
}

test('attendance at the emulated service agrees with its raw views', async () => {
  const emulator = await emulatorOfTest(600)
  const options = { cwd: temporaryFolder(), env: environmentFor(emulator) }
  const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 19)
  const from = `${dayAgo(20)}Z`
  const to = `${dayAgo(2)}Z`
  const report = async (...args: string[]) => {
    const { status, stdout } = await runHere(['report', ...args, '--from', from, '--to', to, '--json'], options)
    expect(status).toBe(0)
    return JSON.parse(stdout)
  }
  const [channel = ''] = emulator.seed.channels.filter(({ owner }) => owner === 'studio').map(({ id }) => id)
  const rows: { viewer: string | null; kind: string; minutes: number }[] = await report(
    ...['attendance', '--channel', channel, '--video', 'all'],
  )
  const live: View[] = await report('views', '--content', 'live', '--id', channel)
  const recorded: View[] = await report('views', '--content', 'recorded')
  const named = rows.filter(({ kind }) => kind === 'signed-in')
  expect(named.length).toBeGreaterThan(10)
  expect(new Map(named.map(({ viewer, minutes }) => [viewer, minutes]))).toEqual(
    minutesOf([...live, ...recorded], Date.parse(from) / 1000, Date.parse(to) / 1000),
  )
})
