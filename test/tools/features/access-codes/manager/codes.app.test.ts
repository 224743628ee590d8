import { expect, test } from 'vitest'
import { codeDigest } from '../../../../../src/features/access-codes/codes/code-digest.ts'
import { createCodeStore } from '../../../../../src/features/access-codes/codes/code-store.ts'
import { canonicalCode } from '../../../../../src/features/access-codes/codes/code-text.ts'
import { openFileRecords } from '../../../../../src/services/guests/file-records.ts'
import { startWithCommands } from '../../../manager/real-entry-point.ts'

const KEY = '7f3e9d1c5b2a48067985a4b3c2d1e0ff'

async function startWithCodes(entry: object = {}) {
  const manager = await startWithCommands({ accessCodes: 'on', accessCodeKey: KEY, ...entry })
  async function find(code: string) {
    const records = openFileRecords(manager.guestsFile, { nowSeconds: () => Date.now() / 1000, isCommand: true })
    try {
      return await createCodeStore(records).find(codeDigest(KEY, 'default', canonicalCode(code) ?? ''))
    } finally {
      await records.close()
    }
  }
  const browser = await manager.signedIn()
  await browser.get('/codes')
  return { manager, browser, find }
}

test('codes that a manager makes are those of the app, and are revoked with one click', async () => {
  const { manager, browser, find } = await startWithCodes()
  const printed = await browser.act('/codes/default/create', { label: 'GALA', count: '3', until: '2099-12-01' })
  const codes = [...printed.text.matchAll(/<code[^>]*>([^<]+)</g)].map(([, code = '']) => code)
  expect(codes).toHaveLength(3)
  for (const code of codes) expect((await find(code))?.batch.revokedAtSeconds).toBeNull()
  const { text } = await browser.get('/codes')
  expect(text).toContain('GALA')
  expect(text).toContain('3 codes')
  const again = await browser.act('/codes/default/create', { label: 'GALA', count: '3' })
  expect(again.text).toContain('No code was made.')
  const revoke = () => browser.act('/codes/default/revoke', { label: 'GALA' })
  expect((await revoke()).text).toContain('The codes of GALA are revoked')
  for (const code of codes) expect((await find(code))?.batch.revokedAtSeconds).not.toBeNull()
  // A double click is one act.
  expect((await revoke()).text).toContain('The codes of GALA are revoked')
  expect(manager.faults).toEqual([])
})

test.each([
  ['a past end', { label: 'OLD', count: '1', until: '2020-01-01' }],
  ['a day that no calendar has', { label: 'OLD', count: '1', until: '2099-02-31' }],
])('codes with %s are not made', async (_what, fields) => {
  const { manager, browser } = await startWithCodes()
  expect((await browser.act('/codes/default/create', fields)).text).toContain('No code was made.')
  expect(manager.faults).toEqual([])
})

test('new codes are shown to the session that made them, and to no other', async () => {
  const { manager, browser } = await startWithCodes()
  const made = await browser.act('/codes/default/create', { label: 'GALA', count: '1' })
  const code = /<code[^>]*>([^<]+)</.exec(made.text)?.[1] ?? ''
  expect(code).not.toBe('')
  const other = await manager.signedIn('event-manager', null, 'joe@example.com')
  expect((await other.get('/codes/print')).location).toBe('/codes')
  expect(JSON.stringify(manager.acts())).not.toContain(code)
  await browser.get('/codes')
  for (const fields of [
    { label: '--json', count: '1' },
    { label: 'A-', count: '1' },
    { label: 'A', count: '-1' },
    { label: 'A', count: '999999' },
  ]) {
    expect((await browser.act('/codes/default/create', fields)).text).toContain('Use letters, digits and hyphens')
  }
})

test('a card has the event, the address with its QR code, and the end of the code', async () => {
  const watchUrl = 'https://www.example.com/gala?a=1'
  const { browser } = await startWithCodes({
    eventName: 'Gala & more',
    watchUrl,
    doorsTimeZone: 'Europe/Berlin',
    opensAt: '2090-07-24T18:00Z',
  })
  const { text } = await browser.act('/codes/default/create', { label: 'GALA', count: '2', until: '2099-12-01' })
  expect(text.match(/<h2 dir="auto">Gala &amp; more<\/h2>/g)).toHaveLength(2)
  expect(text.match(/<svg class="qr" role="img" aria-label="https:\/\/www\.example\.com\/gala\?a=1"/g)).toHaveLength(2)
  expect(text).toMatch(/<symbol id="qr"[^>]*><path d="M/)
  expect(text).toContain('December 1, 2099')
  expect(text.match(/<p class="when">Monday, July 24, 2090 at 8:00/g)).toHaveLength(2)
})

test('codes end with the day of the page', async () => {
  const { browser, find } = await startWithCodes({ opensAt: '2090-07-24T18:00Z', doorsTimeZone: 'Asia/Kathmandu' })
  const made = await browser.act('/codes/default/create', { label: 'A', count: '1', until: '2099-11-30' })
  const known = await find(/<code[^>]*>([^<]+)</.exec(made.text)?.[1] ?? '')
  expect(known?.batch.endsAtSeconds).toBe(Date.parse('2099-11-30T23:59:59+05:45') / 1000)
})

test('one code of a batch is revoked, and the list says who has which code, and when it was used', async () => {
  const { manager, browser, find } = await startWithCodes()
  const made = await browser.act('/codes/default/create', { label: 'GALA', count: '3' })
  const codes = [...made.text.matchAll(/<code[^>]*>([^<]+)</g)].map(([, code = '']) => code)
  const records = openFileRecords(manager.guestsFile, { nowSeconds: () => Date.now() / 1000, isCommand: true })
  const used = await find(codes[1] ?? '')
  if (used) await createCodeStore(records).use(used, 'Ada <Lovelace>', Date.parse('2026-11-30T20:15Z') / 1000)
  await records.close()
  const { text } = await browser.get('/codes/default/list?label=GALA')
  const facts = text
    .match(/GALA-000\d<\/strong>.*?<\/small>/gs)
    ?.map((one) => one.replaceAll(/(?:<[^>]*>|\s)+/g, ' ').trim())
  expect(facts).toEqual([
    'GALA-0001 valid not used yet',
    'GALA-0002 Ada &lt;Lovelace&gt; valid 1 login, the last one Mon, 30 Nov 2026, 20:15',
    'GALA-0003 valid not used yet',
  ])
  const revoke = () => browser.act('/codes/default/revoke', { label: 'GALA', number: '2' })
  expect((await revoke()).text).toContain('The code GALA-0002 is revoked')
  expect((await revoke()).text).toContain('The code GALA-0002 is revoked')
  const revoked = await Promise.all(codes.map(async (code) => (await find(code))?.code.revokedAtSeconds !== null))
  expect(revoked).toEqual([false, true, false])
  expect((await browser.act('/codes/default/revoke', { label: 'GALA', number: '9' })).text).toContain('not revoked')
  expect(manager.acts().at(-1)).toMatchObject({ outcome: 'codes-revoked-refused', target: 'GALA-0009' })
  const found = await browser.get('/codes/default/list?text=lovelace')
  expect(found.text.match(/GALA-000\d<\/strong>/g)).toEqual(['GALA-0002</strong>'])
  expect((await browser.get('/codes/default/list?text=nobody')).text).toContain('No code matches')
})

test('a list shows 300 codes, and says that there are more', async () => {
  const { browser } = await startWithCodes()
  await browser.act('/codes/default/create', { label: 'GALA', count: '301' })
  const { text } = await browser.get('/codes/default/list?label=GALA')
  expect(text.match(/<strong>GALA-/g)).toHaveLength(300)
  expect(text).toContain('The first 300 codes')
  expect((await browser.get('/codes/default/list?text=0301')).text).not.toContain('The first')
})

test('a shared code is one code for a number of people', async () => {
  const { browser, find } = await startWithCodes()
  const made = await browser.act('/codes/default/create', { label: 'ROOM', kind: 'shared', count: '40' })
  const codes = [...made.text.matchAll(/<code[^>]*>([^<]+)</g)].map(([, code = '']) => code)
  expect(codes).toHaveLength(1)
  expect((await find(codes[0] ?? ''))?.batch).toMatchObject({ isShared: true, most: 40, count: 1 })
  expect((await browser.get('/codes')).text).toContain('at most 40 people at the same time')
})

test('a revocation that fails leaves no text in the form for new codes', async () => {
  const { browser } = await startWithCodes()
  expect((await browser.act('/codes/default/revoke', { label: 'GONE' })).text).not.toContain('value="GONE"')
})
