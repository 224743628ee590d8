import { expect, test } from 'vitest'
import { startMailServer } from '../../../../services/mail/mail-server.ts'
import { mailEnvironment, startWithCommands } from '../../../manager/real-entry-point.ts'

const PATH = '/mails/default/invitation'
const SAMPLE = `${PATH}/sample`
const EVENT = { eventName: 'Annual meeting', opensAt: '2090-11-24T20:15:00+01:00' }
const TEXT = 'Dear members,\r\n\r\n  we vote at {username} o’clock. <b>\r\n'

async function startWithMail(entry: object = EVENT, server: Parameters<typeof startMailServer>[0] = {}) {
  const mail = await startMailServer(server)
  const manager = await startWithCommands(entry, mailEnvironment(mail))
  manager.clock.seconds = Date.now() / 1000
  const browser = await manager.signedIn()
  return { mail, manager, browser }
}

test('a text that is saved stands at the top of each invitation, with the event for the calendar', async () => {
  const { mail, manager, browser } = await startWithMail()
  await browser.get(PATH)
  const saved = await browser.act(PATH, { text: TEXT, seen: '' })
  expect(saved.text).toContain('The text is saved')
  expect(saved.text).toContain('<p dir="auto" class="wraps">we vote at {username} o’clock. &lt;b&gt;</p>')
  await browser.get('/people/add')
  await browser.act('/people/add', { username: 'ada@example.com', invite: 'on' })
  const [first] = await mail.received(1)
  expect(first?.text).toMatch(/^Hello.*\s+Dear members,\s+we vote at \{username\} o’clock\. <b>\s+You can now/s)
  expect(first?.raw).toContain('name=event.ics')
  expect(manager.faults).toEqual([])
})

test('an invitation to an event that has started, or has no start, has no calendar file', async () => {
  for (const entry of [{}, { opensAt: '2020-11-24T20:15:00+01:00' }]) {
    const { mail, browser } = await startWithMail(entry)
    await browser.get('/people/add')
    await browser.act('/people/add', { username: 'ada@example.com', invite: 'on' })
    const [first] = await mail.received(1)
    expect(first?.raw).not.toContain('event.ics')
  }
})

test('a preview shows the typed text and saves nothing, and the manager gets it by mail', async () => {
  const { mail, manager, browser } = await startWithMail()
  await browser.get(PATH)
  const preview = await browser.post(SAMPLE, { text: 'We vote.', seen: '' })
  expect([preview.status, preview.text.match(/We vote\./g)?.length]).toEqual([200, 2])
  expect(preview.text).toContain('not saved yet')
  const sent = await browser.post(SAMPLE, { text: 'We vote.', seen: '', mail: 'own' })
  expect([sent.status, sent.text]).toEqual([200, expect.stringContaining('was sent to')])
  const [own] = await mail.received(1)
  expect(own?.text).toMatch(/We vote\..*\/account\/new-password\?token=sample/s)
  expect((await browser.get(PATH)).text).not.toContain('We vote.')
  expect(manager.acts().filter(({ outcome }) => outcome === 'invitation-sample')).toHaveLength(2)
})

test('a mail server that refuses the mail to the manager is named, and the typed text stays', async () => {
  const onRcptTo = (_address: unknown, _session: unknown, done: (error: Error) => void) => done(new Error('No mailbox'))
  const { browser } = await startWithMail(EVENT, { onRcptTo })
  await browser.get(PATH)
  const refused = await browser.post(SAMPLE, { text: 'We vote.', seen: '', mail: 'own' })
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('was not sent')])
  expect(refused.text).toContain('We vote.</textarea>')
})

test('a text that a colleague changed meanwhile is not replaced unseen', async () => {
  const { manager, browser } = await startWithMail()
  const colleague = await manager.signedIn('event-manager', null, 'bob@example.com')
  await browser.get(PATH)
  await colleague.get(PATH)
  await colleague.act(PATH, { text: 'Theirs', seen: '' })
  const late = await browser.post(PATH, { text: 'Mine', seen: '' })
  expect([late.status, late.text]).toEqual([409, expect.stringContaining('Mine</textarea>')])
  const seen = /name="seen" value="([^"]*)"/.exec(late.text)?.[1]
  expect(seen).toBe('Theirs')
  expect((await browser.act(PATH, { text: 'Mine', seen: 'Theirs' })).text).toContain('Mine</textarea>')
})

test('a text that is emptied ends, and Undo brings it back', async () => {
  const { browser } = await startWithMail()
  await browser.get(PATH)
  await browser.act(PATH, { text: 'We vote.', seen: '' })
  const ended = await browser.act(PATH, { text: ' ', seen: 'We vote.' })
  expect(ended.text).toContain('<input type="hidden" name="text" value="We vote.">')
  const back = await browser.act(PATH, { text: 'We vote.', seen: '' })
  expect(back.text).toContain('We vote.</textarea>')
})

test('a text of the full length keeps its end, whatever its lines', async () => {
  const { browser } = await startWithMail()
  await browser.get(PATH)
  const lines = Array(399).fill('abcd').join('\r\n')
  expect((await browser.act(PATH, { text: `${lines}\r\nend`, seen: '' })).text).toContain('abcd\nend</textarea>')
})

test('an event that the settings do not have shows a sentence, not a fault', async () => {
  const { manager, browser } = await startWithMail()
  const { status, text } = await browser.get('/mails/nowhere/invitation')
  expect([status, text, manager.faults]).toEqual([503, expect.stringContaining('cannot send emails'), []])
})

test('a mail server that is away sends the manager nothing, and the page says to try again', async () => {
  const manager = await startWithCommands(EVENT, mailEnvironment({ port: 1 }))
  const browser = await manager.signedIn()
  await browser.get(PATH)
  const { status, text } = await browser.post(SAMPLE, { text: 'We vote.', seen: '', mail: 'own' })
  expect([status, text]).toEqual([409, expect.stringContaining('Try again in a minute')])
  expect(text).toContain('We vote.</textarea>')
})
