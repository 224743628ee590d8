import { expect, test } from 'vitest'
import { HALL, inHall, statusesOf } from '../../sign-in-limits/hall.ts'
import { fieldOf, finishWindow, openWindow, pressContinue, startHeaders, startSso } from './start-sso.ts'

test('1,000 viewers of one address open the window of single sign-on at once, and those who finish get in', async () => {
  const app = await startSso()
  const flow = fieldOf(await app.get('/'), 'flow')
  const opened = await inHall(() => app.post('/sso/start', { flow }, startHeaders(app)), HALL - 20)
  const answers = await inHall(async () => {
    const window = await openWindow(app)
    await finishWindow(app, window)
    return await pressContinue(app, window)
  }, 20)
  expect([statusesOf(opened), statusesOf(answers)]).toEqual([{ 200: HALL - 20 }, { 303: 20 }])
})
