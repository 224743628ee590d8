import { expect, test } from 'vitest'
import { rowsFor } from '../../rows.ts'
import { HALL, inHall, statusesOf } from '../../sign-in-limits/hall.ts'
import { codeIn, frameIn, startMailApp } from './start-mail-app.ts'

const addressOf = (guest: number) => `guest-${guest}@example.com`
const LISTED = Array.from({ length: HALL }, (_, guest) => ({ address: addressOf(guest) }))

/** Registration sends its codes the same way, and has its full hall in every run. */
const HALLS = rowsFor([100], [HALL])

test.each(HALLS)(
  '%i guests of one address ask at once, and each gets in with a code',
  async (guests) => {
    const app = await startMailApp({ settings: { mode: 'list', guests: LISTED, file: null } })
    const asked = await inHall((guest) => app.ask(addressOf(guest)), guests)
    expect(statusesOf(asked)).toEqual({ 200: guests })
    const mails = await app.mail.received(guests)
    const codes = new Map(mails.map((mail) => [mail.to[0], codeIn(mail)]))
    const answers = await inHall((guest) => {
      const address = addressOf(guest)
      return app.check(address, frameIn(asked[guest] ?? expect.unreachable()), codes.get(address) ?? '')
    }, guests)
    expect(statusesOf(answers)).toEqual({ 303: guests })
  },
  300_000,
)

test('listed and unlisted addresses of one network reach the same limit, with the same answer', async () => {
  // 300 of 1,200 mails an hour for one network.
  const refusalsWith = async (addressAt: (ask: number) => string) => {
    const app = await startMailApp({ settings: { mode: 'list', guests: LISTED, file: null }, mailsPerHour: 1_200 })
    const answers = await inHall((ask) => app.ask(addressAt(ask)), 300)
    const refused = await app.ask(addressAt(300))
    return {
      ...statusesOf(answers),
      refused: refused.status,
      minutes: Math.ceil(Number(refused.headers['retry-after']) / 60),
    }
  }
  const limited = { 200: 300, refused: 429, minutes: 60 }
  expect(await refusalsWith(addressOf)).toEqual(limited)
  expect(await refusalsWith((ask) => `stranger-${ask}@example.org`)).toEqual(limited)
})
