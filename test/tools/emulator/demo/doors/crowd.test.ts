import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'

const run = vi.hoisted(() => vi.fn((_args: readonly string[]) => Promise.resolve('')))
vi.mock('../../../../../src/tools/emulator/demo/login-app.ts', () => ({ runCommand: run }))

test('300 people come one after another; those who wait come again when the doors are open', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { startCrowd } = await import('../../../../../src/tools/emulator/demo/doors/crowd.ts')
  const typed: [name: string | null, isWrong: boolean][] = []
  let status = 403
  vi.spyOn(globalThis, 'fetch').mockImplementation((_address, init) => {
    const form = new URLSearchParams(String(init?.body))
    typed.push([form.get('username'), form.get('password') === 'wrong'])
    return Promise.resolve(new Response(null, { status: form.get('password') === 'wrong' ? 401 : status }))
  })
  const environment = { PUBLIC_URL: 'http://localhost:3000' }
  const crowd = await startCrowd(temporaryFolder(), environment, { name: 'evening', id: '1300' }, true)
  expect(run.mock.lastCall?.[0]).toEqual(expect.arrayContaining(['viewers', 'import', '--invite']))
  await vi.advanceTimersByTimeAsync(20_000)
  status = 303
  await vi.advanceTimersByTimeAsync(1_200_000)
  await crowd.stop()
  const names = new Set(typed.map(([name]) => name))
  // One in eight has no password.
  expect(names.size).toBe(300 - 38)
  expect(typed.filter(([, isWrong]) => isWrong)).toHaveLength(30)
  const last = new Map(typed)
  expect([...last.values()]).not.toContain(true)
  expect(typed.length).toBe(262 + 30 + typed.slice(0, 10).filter(([, isWrong]) => !isWrong).length)
})
