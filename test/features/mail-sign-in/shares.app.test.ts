import { expect, test } from 'vitest'
import type { MailSignInSettings } from '../../../src/features/mail-sign-in/fields.ts'
import { ENTRY_POINT, entryPointAt } from '../../login/entry-point.ts'
import { inHall } from '../../sign-in-limits/hall.ts'
import { codeIn, frameIn, GUEST, LISTED, startMailApp } from './start-mail-app.ts'

const ANYONE: MailSignInSettings = { mode: 'anyone', guests: [], file: null }
const DOMAIN: MailSignInSettings = { mode: 'domains', guests: [{ domain: 'example.com' }], file: null }

/** Starts the app with a list at `/` and another way of guests at `/e/open`: 40 mails an hour. */
async function startTwo(other: MailSignInSettings = ANYONE, list: MailSignInSettings = LISTED) {
  const features = (settings: MailSignInSettings) => ({ 'mail-sign-in': settings })
  const entryPoints = [
    { ...ENTRY_POINT, hasPasswordForm: false, features: features(list) },
    { ...entryPointAt('open'), hasPasswordForm: false, features: features(other) },
  ]
  const app = await startMailApp({ entryPoints, mailsPerHour: 40 })
  const askOpen = (mail: string) => app.post('/e/open/mail-code', { mail })
  const limited = () => app.lines.filter(({ outcome }) => outcome === 'mail-code-limited')
  /** Asks for 40 made-up addresses, and waits until their share is used up. */
  async function useUp() {
    const before = app.mail.mails.length
    await inHall((at) => askOpen(`made-up-${at}@example.com`), 40)
    await app.mail.received(20)
    await expect.poll(() => limited().length).toBeGreaterThan(0)
    return before
  }
  const mailsTo = (address: string) => app.mail.mails.filter(({ to }) => to.includes(address)).length
  return { app, askOpen, limited, useUp, mailsTo }
}

test.each([
  ['anyone', ANYONE],
  ['a domain', DOMAIN],
])('40 made-up addresses at an entry point for %s leave the mails of a list elsewhere', async (_who, other) => {
  const { app, limited, useUp, mailsTo } = await startTwo(other)
  await useUp()
  const asked = await app.ask(GUEST)
  await expect.poll(() => mailsTo(GUEST), { timeout: 5_000 }).toBe(1)
  expect(asked.text).not.toContain('Emails take longer')
  const mail = app.mail.mails.find(({ to }) => to.includes(GUEST)) ?? expect.unreachable()
  expect((await app.check(GUEST, frameIn(asked), codeIn(mail))).status).toBe(303)
  expect(app.mail.mails).toHaveLength(21)
  // One line a minute.
  expect(limited()).toEqual([expect.objectContaining({ entryPoint: 'open', limit: 'share' })])
})

test('a guest who signed in at an open entry point before gets a mail from the reserve', async () => {
  const { app, askOpen, useUp, mailsTo } = await startTwo()
  const frame = frameIn(await askOpen('owner@example.org'))
  const [mail = expect.unreachable()] = await app.mail.received(1)
  const fields = { mail: 'owner@example.org', frame, code: codeIn(mail) }
  expect((await app.post('/e/open/mail-code/check', fields)).status).toBe(303)
  await useUp()
  await askOpen('owner@example.org')
  await askOpen('stranger@example.org')
  await expect.poll(() => mailsTo('owner@example.org')).toBe(2)
  expect(mailsTo('stranger@example.org')).toBe(0)
})

test('where the share is used up, known and unknown addresses get the same answer: mails are slow', async () => {
  const listed: MailSignInSettings = {
    mode: 'list',
    guests: [{ address: GUEST }, { domain: 'example.com' }],
    file: null,
  }
  const { app, askOpen, useUp, mailsTo } = await startTwo(listed)
  await useUp()
  const screens = []
  for (const address of [GUEST, 'made-up@example.com', 'unlisted@example.org']) {
    const { status, text } = await askOpen(address)
    screens.push([status, text.replaceAll(address, 'ADDRESS').replaceAll(frameIn({ text }), 'FRAME')])
  }
  expect(new Set(screens.map((screen) => JSON.stringify(screen))).size).toBe(1)
  expect(screens[0]?.[1]).toContain('Emails take longer')
  // The list itself names this one: it is in the reserve.
  await expect.poll(() => mailsTo(GUEST)).toBe(1)
  expect(mailsTo('made-up@example.com')).toBe(0)
  expect((await app.ask('unlisted@example.org')).text).not.toContain('Emails take longer')
})

test('when all mails of an entry point are used up, with the reserve, the log says so', async () => {
  const guests = Array.from({ length: 40 }, (_, at) => ({ address: `guest-${at}@example.com` }))
  const { app, limited } = await startTwo(ANYONE, { mode: 'list', guests, file: null })
  await inHall((at) => app.ask(`guest-${at}@example.com`), 40)
  await app.mail.received(30)
  await expect.poll(limited).toEqual([expect.objectContaining({ entryPoint: 'default', limit: 'total' })])
  expect(app.mail.mails).toHaveLength(30)
})
