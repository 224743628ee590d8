import { expect, test } from 'vitest'
import { startWithCommands } from '../../tools/manager/real-entry-point.ts'
import { addFault, emulatorOfTest, environmentFor } from '../video-service/client.ts'

const localDay = (daysAgo: number) => `${new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10)}T00:00`

async function startAfterEvent(views = 600) {
  const emulator = await emulatorOfTest(views)
  const manager = await startWithCommands({}, environmentFor(emulator))
  const [channel = ''] = emulator.seed.channels.filter(({ owner }) => owner === 'studio').map(({ id }) => id)
  const period = `from=${localDay(20)}&to=${localDay(2)}`
  const query = (more = '') => `channel=${channel}&${period}${more}`
  return { emulator, manager, channel, query, browser: await manager.signedIn('reader') }
}

test('attendance and views after an event come from the video service', async () => {
  const { manager, channel, query, browser } = await startAfterEvent()
  expect((await browser.get('/after')).text).toContain(`<option value="${channel}"`)
  const all = await browser.get(`/after/attendance?${query()}`)
  expect(all.status).toBe(200)
  const rows = (text: string) => [...text.matchAll(/<tr><th scope="row">/g)].length
  // The views depend on the present time, so the limit is taken from the viewer who watched longest.
  const minutes = [...all.text.matchAll(/<td class="count">([\d.]+)</g)].map(([, text]) => Number(text))
  expect(rows(all.text)).toBe(minutes.length)
  const atLeast = Math.floor(Math.max(...minutes))
  const long = await browser.get(`/after/attendance?${query(`&atLeast=${atLeast}`)}`)
  expect(rows(long.text)).toBe(minutes.filter((watched) => watched >= atLeast).length)
  expect(rows(long.text)).toBeLessThan(rows(all.text))
  await manager.users.add({ username: 'absent@example.com', groups: [], attributes: {} }, null)
  const invited = await browser.get(`/after/attendance?${query('&invited=on')}`)
  expect(invited.text).toMatch(/absent@example\.com<\/th><td><span class="state down">was missing/)
  const views = await browser.get(`/after/views?${query()}`)
  expect(rows(views.text)).toBeGreaterThan(10)
  for (const name of ['Attendance', 'Views']) {
    const sheet = await browser.get(`/after/${name.toLowerCase()}.csv?${query()}`)
    expect([sheet.status, sheet.headers.get('Content-Disposition')]).toEqual([
      200,
      expect.stringMatching(`filename="${name} [0-9-]{10}.csv"`),
    ])
  }
  expect(manager.faults).toEqual([])
})

test('without an answer of the video service, the page says what to do', async () => {
  const { emulator, manager, query, browser } = await startAfterEvent(0)
  const empty = await browser.get(`/after/attendance?${query()}`)
  expect(empty.text).toContain('There is no row')
  await addFault(emulator, { path: '/v1/*', status: 403, count: 50 })
  const { status, text } = await browser.get(`/after/views?${query()}`)
  expect(status).toBe(502)
  expect(text).toContain('role="alert"')
  expect(text).not.toMatch(/SERVICE_|https?:\/\/127/)
  expect(manager.faults).toEqual([])
})
