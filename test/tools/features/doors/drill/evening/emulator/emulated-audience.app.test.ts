import { expect, onTestFinished, test } from 'vitest'
import { startTimetable } from '../../../../../../../src/tools/cli/drill/crowd/timetable.ts'
import { watchChannel } from '../../../../../../../src/tools/features/doors/drill/evening/emulator/emulated-audience.ts'
import { LOCKED_CHANNEL, SECRET, startService } from '../../../../../emulator/player/service.ts'
import { inOneHour, makeResponse } from '../../../../../emulator/player/tiny-login-app.ts'

test('a viewer of an evening watches in the emulated service, which records the view until the viewer leaves', async () => {
  const { emulator, database, close } = await startService()
  onTestFinished(close)
  const watch = watchChannel(LOCKED_CHANNEL.content_id)
  const timetable = startTimetable(new AbortController().signal)
  const address = new URL(`${emulator.url}/embed/hashlock/pass`)
  const response = (secret: string) => makeResponse([['user', 'drill-1']], inOneHour(), secret)
  expect(await watch(address, response(SECRET), timetable, timetable.nowMs() + 200)).toBe(true)
  const segments = database.prepare('SELECT viewer_identifier, finished_at FROM watched_segments').all()
  expect(segments).toEqual([{ viewer_identifier: 'drill-1', finished_at: expect.any(Number) }])
  // A lock with another secret, and a service that is not on this machine.
  expect(await watch(address, response(`${SECRET}ff`), timetable, 0)).toBe(false)
  expect(await watch(new URL('https://player.example/pass'), response(SECRET), timetable, 0)).toBe(false)
})
