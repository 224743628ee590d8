import { expect, onTestFinished, test } from 'vitest'
import { createRegistrations } from '../../../../../src/features/registration/book/registrations.ts'
import { openFileRecords } from '../../../../../src/services/guests/file-records.ts'
import { readSettings } from '../../../../features/registration/registration-settings.ts'
import { mailEnvironment, startWithCommands } from '../../../manager/real-entry-point.ts'

const GIVEN = {
  approval: 'by-hand',
  most: 500,
  fields: [
    { name: 'company', kind: 'text', label: 'Company' },
    { name: 'terms', kind: 'consent', label: 'Terms', version: '2026-11' },
  ],
}
const nowSeconds = () => Date.now() / 1000

const startWithGuests = (...names: string[]) => startWith(GIVEN, names)

async function startWith(given: object, names: readonly string[]) {
  const manager = await startWithCommands({ registration: given }, mailEnvironment({ port: 25 }))
  const records = openFileRecords(manager.guestsFile, { nowSeconds })
  onTestFinished(records.close)
  const settings = readSettings(given)
  const registrations = createRegistrations({ records, entryPoint: 'default', settings, nowSeconds, mailOf: () => [] })
  for (const name of names) {
    const consents = [{ name: 'terms', version: '2026-11', atSeconds: 1_795_000_000 }]
    const attributes = { company: `<b>${name}</b>`, terms: '2026-11' }
    await registrations.register({ address: `${name}@a.example`, attributes, consents, language: 'en' })
  }
  const browser = await manager.signedIn()
  const { location } = await browser.get('/registrations')
  expect(location).toBe('/registrations/default')
  const change = (step: string, ...guests: string[]) =>
    browser.act('/registrations/default', { step, address: guests.map((name) => `${name}@a.example`) })
  const stateOf = async (name: string) => (await registrations.find(`${name}@a.example`))?.state
  return { manager, browser, records, change, stateOf }
}

test('guests are approved, refused, cancelled and forgotten', async () => {
  const { manager, browser, records, change, stateOf } = await startWithGuests('ada', 'bob', 'eve', 'joe')
  const { text } = await browser.get('/registrations/default?state=waiting-for-approval')
  expect(text).toContain('ada@a.example')
  expect(text).not.toContain('<b>')
  expect((await change('approve', 'ada')).text).toContain('1 person is approved')
  // The login app sends the mail.
  expect(await records.list('mail-outbox', { limit: 10 })).toHaveLength(1)
  expect((await change('approve', 'ada', 'bob')).text).toContain('1 of 2 were changed')
  expect((await change('approve', 'ada')).text).toContain('Nothing was changed')
  expect((await change('refuse', 'eve')).text).toContain('1 person is refused')
  expect((await change('cancel', 'bob')).text).toContain('1 registration is canceled')
  const mail = { kind: 'reminder', entryPoint: 'default', language: 'en', manager: 'eve', usernames: ['joe@a.example'] }
  manager.store.mails.add({ ...mail, batch: 0 }, 0)
  manager.store.mails.setSent(manager.store.mails.of('joe@a.example')[0]?.id ?? 0)
  expect((await change('forget', 'joe')).text).toContain('1 registration is deleted')
  expect(manager.store.mails.of('joe@a.example')).toEqual([])
  expect(await Promise.all(['ada', 'bob', 'eve', 'joe'].map(stateOf))).toEqual([
    'approved',
    'cancelled',
    'refused',
    undefined,
  ])
  const reasonOf = async (name: string) => (await browser.get(`/people/one/${name}%40a.example`)).text
  expect(await reasonOf('ada')).toContain('The person can log in with: registration.')
  expect(await reasonOf('bob')).toContain('The person has registered for default: canceled.')
  expect(manager.acts().filter(({ outcome }) => outcome === 'registrations-changed')).toHaveLength(4)
  expect(manager.faults).toEqual([])
})

test('of two people with the same list, the second is told who was decided on, and no second mail goes out', async () => {
  const { manager, browser, records, stateOf } = await startWithGuests('ada', 'bob')
  const other = await manager.signedIn('event-manager', ['default'], 'joe@example.com')
  await other.get('/registrations/default')
  const { text } = await browser.get('/registrations/default')
  const seen = [...text.matchAll(/name="seen" value="([^"]*)"/g)].map(([, value = '']) => value)
  expect(seen).toHaveLength(2)
  const form = (step: string, ...address: string[]) => ({ step, address, seen })
  await other.act('/registrations/default', form('refuse', 'ada@a.example'))
  const late = await browser.act('/registrations/default', form('approve', 'ada@a.example'))
  expect(late.text).toMatch(/Nothing was changed\. ada@a\.example: another person decided this at \d\d:\d\d: refused\./)
  const part = await browser.act('/registrations/default', form('cancel', 'ada@a.example', 'bob@a.example'))
  expect(part.text).toMatch(/1 of 2 were changed\..* ada@a\.example: another person decided this at/)
  expect([await stateOf('ada'), await stateOf('bob')]).toEqual(['refused', 'cancelled'])
  expect(await records.list('mail-outbox', { limit: 10 })).toHaveLength(2)
})

test.each([
  ['by-hand', 'waits for approval', 'waiting-for-approval'],
  ['none', 'approved', 'approved'],
])(
  'a guest who came up from the waiting list by a decision is named as such, approval %s',
  async (approval, shown, state) => {
    const given = { ...GIVEN, approval, most: 1, waitingList: 'on' }
    const { browser, stateOf } = await startWith(given, ['ada', 'bob'])
    const { text } = await browser.get('/registrations/default')
    const seen = [...text.matchAll(/name="seen" value="([^"]*)"/g)].map(([, value = '']) => value)
    expect([seen.length, await stateOf('bob')]).toEqual([2, 'on-waiting-list'])
    const address = ['ada@a.example', 'bob@a.example']
    const done = await browser.act('/registrations/default', { step: 'refuse', address, seen })
    expect(done.text).toMatch(
      new RegExp(
        String.raw`1 of 2 were changed\..* bob@a\.example came up from the waiting list at \d\d:\d\d, .*: ${shown}\.`,
      ),
    )
    expect(done.text).not.toContain('another person')
    expect([await stateOf('ada'), await stateOf('bob')]).toEqual(['refused', state])
  },
)

test.each([
  ['refuse', '2 people will be refused'],
  ['cancel', '2 registrations will be canceled'],
  ['forget', '2 registrations will be deleted'],
])('the page asks before it does this: %s', async (step, question) => {
  const { browser, change, stateOf } = await startWithGuests('ada')
  const { text } = await browser.get('/registrations/default')
  expect(text).toContain(`value="${step}" formaction="/registrations/default/ask"`)
  const asked = await browser.act('/registrations/default/ask', { step, address: ['ada@a.example', '<i>'] })
  expect(asked.text).toContain(question)
  expect(asked.text).toContain('<input type="hidden" name="address" value="ada@a.example">')
  expect(asked.text).not.toContain('<i>')
  expect(await stateOf('ada')).toBe('waiting-for-approval')
  await change(step, 'ada')
  expect(await stateOf('ada')).not.toBe('waiting-for-approval')
})

test('a decision needs a step and people, and no guest of another entry point is changed', async () => {
  const { manager } = await startWithGuests('ada')
  const browser = await manager.signedIn('event-manager', ['default'], 'joe@example.com')
  const { text } = await browser.get('/registrations/default')
  expect(text).toContain('waits for approval')
  expect((await browser.act('/registrations/default/ask', { step: 'forget' })).text).toContain(
    'Choose people in the list',
  )
  const other = await browser.act('/registrations/default', { step: 'export', address: 'ada@a.example' })
  expect(other.text).toContain('Choose people in the list first')
  expect((await browser.post('/registrations/silver/ask', { step: 'forget', address: 'x' })).status).toBe(404)
  expect((await browser.post('/registrations/silver', { step: 'approve', address: 'x' })).status).toBe(404)
  expect((await browser.get('/registrations/silver')).status).toBe(404)
  expect((await browser.get('/registrations/silver/sheet')).status).toBe(404)
})

test('a guest is found by a part of the address or of an answer, and leads to the page of the person', async () => {
  const { browser } = await startWithGuests('ada', 'bob')
  for (const part of ['ADA@', '<b>ad']) {
    const { text } = await browser.get(`/registrations/default?text=${encodeURIComponent(part)}`)
    expect(text).toContain('<a href="/people/one/ada%40a.example">ada@a.example</a>')
    expect(text).toContain('Company: ')
    expect(text).not.toContain('bob@a.example')
  }
})

test('all that match are changed together, after a question, if their number is still the same', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `guest${index}`)
  const { browser, records, stateOf } = await startWithGuests('ada', ...names)
  await browser.get('/registrations/default')
  const all = { step: 'approve', all: 'on', text: 'guest', state: 'waiting-for-approval' }
  const asked = await browser.act('/registrations/default', all)
  expect(asked.text).toContain('60 people will be approved')
  expect(await stateOf('guest7')).toBe('waiting-for-approval')
  const late = await browser.act('/registrations/default', { ...all, count: '59' })
  expect(late.text).toContain('Nothing was changed')
  const done = await browser.act('/registrations/default', { ...all, count: '60' })
  expect(done.text).toContain('60 people are approved')
  expect([await stateOf('guest59'), await stateOf('ada')]).toEqual(['approved', 'waiting-for-approval'])
  expect(await records.list('mail-outbox', { limit: 100 })).toHaveLength(60)
})

test('the sheet for Excel has the guests that match, with a column that an attendance report reads', async () => {
  const { browser, change } = await startWithGuests('ada', 'bob')
  await browser.get('/registrations/default')
  await change('approve', 'ada')
  const { status, text } = await browser.get('/registrations/default/sheet?state=approved')
  expect(status).toBe(200)
  const [titles, first, ...more] = text.split('\r\n')
  expect(titles?.split('\t').slice(0, 2)).toEqual(['username', 'state'])
  expect(first?.split('\t').slice(0, 2)).toEqual(['ada@a.example', 'approved'])
  expect(more).toEqual([''])
})

test('the page says how many places are free', async () => {
  const { browser } = await startWithGuests('ada', 'bob')
  expect((await browser.get('/registrations/default')).text).toContain('498 free of 500')
})
