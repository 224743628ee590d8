import { expect, test } from 'vitest'
import { HALL, inHall, statusesOf } from '../../sign-in-limits/hall.ts'
import { hiddenIn, startRegistration } from './start-registration.ts'

const addressOf = (guest: number) => `guest-${guest}@example.com`

test('1,000 guests of one address register at once, and each gets in', async () => {
  const { ask, mailServer, post } = await startRegistration({})
  const asked = await inHall((guest) => ask(addressOf(guest)))
  expect(statusesOf(asked)).toEqual({ 200: HALL })
  const mails = await mailServer.received(HALL)
  const codes = new Map(mails.map(({ to, text }) => [to[0], /\b[2-9A-Z]{4}-[2-9A-Z]{4}\b/.exec(text)?.[0] ?? '']))
  const answers = await inHall((guest) => {
    const hidden = hiddenIn(asked[guest] ?? expect.unreachable())
    return post('/register/code', { ...hidden, code: codes.get(addressOf(guest)) ?? '' })
  })
  expect(statusesOf(answers)).toEqual({ 303: HALL })
}, 300_000)
