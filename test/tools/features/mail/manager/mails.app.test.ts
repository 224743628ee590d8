import { expect, test } from 'vitest'
import { startMailServer } from '../../../../services/mail/mail-server.ts'
import { mailEnvironment, startWithCommands } from '../../../manager/real-entry-point.ts'

const one = (name: string, act = '') => `/people/one/${encodeURIComponent(name)}${act && `/${act}`}`

test('each mail has its state, event and language, and a refused one has the words of the server', async () => {
  const mail = await startMailServer({
    onRcptTo({ address }, _session, done) {
      if (!address.startsWith('bob')) return done()
      done(Object.assign(new Error('5.1.1 No mailbox of this name'), { responseCode: 550 }))
    },
  })
  const manager = await startWithCommands({ eventName: 'Annual meeting', defaultLanguage: 'de' }, mailEnvironment(mail))
  manager.clock.seconds = Date.now() / 1000
  const browser = await manager.signedIn()
  for (const name of ['ada', 'bob'])
    await manager.users.add({ username: `${name}@example.com`, groups: [], attributes: {} }, null)
  await browser.get('/people')
  const sent = await browser.act(one('ada@example.com', 'send-link'))
  expect(sent.text).toContain('gets an email with a link')
  const refused = await browser.act(one('bob@example.com', 'send-link'))
  expect(refused.text).toContain('550 5.1.1 No mailbox of this name')
  const { text } = await browser.get('/mails')
  const rows = [...text.matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) => row.replace(/<[^>]+>/g, ' '))
  expect(rows).toEqual([
    expect.stringMatching(/bob@example.com.*Invitation · Annual meeting · German.*refused.*550 5\.1\.1 No mailbox/),
    expect.stringMatching(/ada@example.com.*Invitation · Annual meeting · German.*sent/),
  ])
  expect((await browser.get('/mails?state=sent')).text).not.toContain('bob@example.com')
  const people = (await browser.get('/people')).text
  const stateOf = (name: string) =>
    new RegExp(`>${name}@example.com</a></th><td><span class="state ([\\w-]+)`).exec(people)?.[1]
  expect([stateOf('ada'), stateOf('bob')]).toEqual(['invited', 'no-password'])
  expect(manager.faults).toEqual([])
})

test('the list has pages, the newest mail first', async () => {
  const manager = await startWithCommands()
  const usernames = Array.from({ length: 51 }, (_, index) => `viewer${index}`)
  manager.store.mails.add({ kind: 'old', entryPoint: 'default', language: '', usernames, manager: 'eve' }, 1)
  const browser = await manager.signedIn()
  const first = await browser.get('/mails')
  expect(first.text).toContain('viewer50')
  expect(first.text).not.toContain('>viewer0<')
  const [, next = ''] = /href="([^"]+)" rel="next"/.exec(first.text) ?? []
  expect((await browser.get(next.replaceAll('&amp;', '&'))).text).toContain('>viewer0<')
})

test.each(['help-desk', 'reader'] as const)('a %s does not see the list of mails', async (role) => {
  const manager = await startWithCommands()
  expect((await (await manager.signedIn(role)).get('/mails')).status).toBe(403)
})
