import { expect, test } from 'vitest'
import { readSharedStores } from '../../../../../src/config.ts'
import { isHashEntryPoint } from '../../../../../src/entry-points/entry-point.ts'
import { codeDigest } from '../../../../../src/features/access-codes/codes/code-digest.ts'
import { createCodeStore } from '../../../../../src/features/access-codes/codes/code-store.ts'
import { canonicalCode } from '../../../../../src/features/access-codes/codes/code-text.ts'
import { seatsOf } from '../../../../../src/features/access-codes/seats.ts'
import { openFileRecords } from '../../../../../src/services/guests/file-records.ts'
import { stores } from '../../../../../src/stores.ts'
import { runHere } from '../../../cli/run-here.ts'
import { startWithCommands } from '../../../manager/real-entry-point.ts'

const SILENT_LOG = { info: () => {}, warn: () => {} }
const KEY = '7f3e9d1c5b2a48067985a4b3c2d1e0ff'

async function startWithCodes(entry: object = {}, more: Readonly<Record<string, string>> = {}) {
  const manager = await startWithCommands({ accessCodes: 'on', accessCodeKey: KEY, ...entry }, more)
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
})

test('the page and the command say how many places of a shared code are taken', async () => {
  const { manager, browser, find } = await startWithCodes()
  const made = await browser.act('/codes/default/create', { label: 'ROOM', kind: 'shared', count: '40' })
  const known = await find(/<code[^>]*>([^<]+)</.exec(made.text)?.[1] ?? '')
  const [entryPoint] = manager.entryPoints()
  if (!known || !entryPoint || !isHashEntryPoint(entryPoint)) expect.unreachable()
  const nowSeconds = () => Date.now() / 1000
  const places = await stores.places(readSharedStores(manager.env), { nowSeconds, log: SILENT_LOG })
  const seatsAt = (url: string) =>
    seatsOf({ places, entryPoint, placeSeconds: 3_600, nowSeconds }, { ...entryPoint.playerAddress, url }, known)
  for (const place of ['a', 'b', 'c']) await (await seatsAt(entryPoint.playerAddress.url)?.take(place))?.(null)
  places.close()
  for (const path of ['/codes', '/codes/default/list?label=ROOM'])
    expect((await browser.get(path)).text).toContain('one code for all, 3 of 40 places taken')
  const listed = await runHere(['codes', 'list'], { cwd: manager.folder, env: manager.env })
  expect(listed.stdout).toContain('3 of 40 places')
})

test.each([
  ['that only the login app knows', 'memory:'],
  ['of a store that is away', 'redis://127.0.0.1:1'],
])('places %s are not shown', async (_what, url) => {
  const { manager, browser } = await startWithCodes({}, { LIMITS_STORE_URL: url })
  await browser.act('/codes/default/create', { label: 'ROOM', kind: 'shared', count: '40' })
  expect((await browser.get('/codes')).text).toContain('one code for all, at most 40 people at the same time')
  expect(manager.faults).toEqual([])
})

test('a code begins with own words, and is an ordinary code to the app', async () => {
  const { browser, find } = await startWithCodes()
  const fields = { label: 'ROOM', kind: 'shared', count: '40', words: ' gala  2026- ' }
  const [, code = ''] = /<code[^>]*>([^<]+)</.exec((await browser.act('/codes/default/create', fields)).text) ?? []
  expect(code).toMatch(/^GALA-2026(-[2-9A-Z]{3,4}){2,}$/)
  expect((await find(code))?.batch).toMatchObject({ label: 'ROOM', isShared: true })
})

test.each(['Été', '<b>', '-A', 'A'.repeat(25)])(
  'codes that begin with %s are not made, and the words stay',
  async (words) => {
    const { manager, browser } = await startWithCodes()
    const { text } = await browser.act('/codes/default/create', { label: 'ROOM', count: '40', words })
    expect(text).toContain('Use letters from A to Z, digits and hyphens for the words')
    expect(text).toContain(`name="words" value="${words.replace('<', '&lt;').replace('>', '&gt;')}"`)
    expect(text).not.toContain('<strong>ROOM')
    expect(manager.acts().at(-1)).toMatchObject({ outcome: 'codes-created-refused', detail: 'ROOM' })
  },
)

test('a revocation that fails leaves no text in the form for new codes', async () => {
  const { browser } = await startWithCodes()
  expect((await browser.act('/codes/default/revoke', { label: 'GONE' })).text).not.toContain('value="GONE"')
})
