import { expect, onTestFinished, test, vi } from 'vitest'
import { demo } from '../../../../../src/tools/emulator/demo/doors/demo.ts'

const LOGIN_URL = 'http://localhost:3000'
const NOW = new Date('2026-11-27T19:14:00Z')

test('the event of the demo opens a minute after the start, has its own lock, and says how to move it', async () => {
  vi.useFakeTimers({ now: NOW })
  onTestFinished(() => void vi.useRealTimers())
  const { channel, entryPoint, hint } = await demo(LOGIN_URL)
  const shared = { playerOrigins: undefined, brand: {}, hash: { hashLifetimeSeconds: 3600 } }
  const settings = entryPoint?.({} as never, shared)
  expect(settings).toMatchObject({
    name: 'evening',
    secret: channel?.lock?.secret,
    hashLifetimeSeconds: 3600,
    opensAt: '2026-11-27T19:15:00Z',
    closesAt: '2026-11-27T22:15:00Z',
    waitingRoom: 'on',
  })
  expect(channel?.lock?.url).toBe(`${LOGIN_URL}/e/evening`)
  const clock = (text: string) => new Date(text).toLocaleTimeString('en-GB')
  const later = clock('2026-11-27T19:30:00Z').slice(0, 5)
  expect(hint?.({ port: 4000 } as never)).toMatchObject({
    page: 'http://page.localhost:4000/channel/1300',
    text: expect.stringContaining(`at ${clock('2026-11-27T19:15:00Z')}.`),
    commands: expect.arrayContaining([`npm run -s viewer-auth -- doors --entry-point evening --opens ${later}`]),
  })
})
