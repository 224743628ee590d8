import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEntryPointSettings } from '../../../../../src/config.ts'
import { temporaryFolder } from '../../../../users/temporary-folder.ts'
import { startManager } from '../../../manager/start-manager.ts'

const ENTRY = {
  name: 'default',
  secret: '3f9a1c7be2d846509817abcdef43210fe',
  playerReturnUrl: 'http://127.0.0.1:4000/pass',
  playerOrigins: ['http://127.0.0.1:4000'],
  opensAt: '2090-11-24T20:00:00Z',
}
const PATH = '/doors/default/message'
const TEXT = 'We start at 20:15'
const BOTH = { de: 'Wir beginnen um 20:15', en: TEXT }

async function withMessage(doorsMessage?: unknown) {
  const file = join(temporaryFolder(), 'entry-points.json')
  writeFileSync(file, JSON.stringify([{ ...ENTRY, doorsMessage }]))
  const env = { PUBLIC_URL: 'http://localhost:3000', ENTRY_POINTS_FILE: file }
  const manager = await startManager({ env, entryPoints: () => readEntryPointSettings(env).entryPoints })
  const browser = await manager.signedIn()
  const message = () => (JSON.parse(readFileSync(file, 'utf8')) as [{ doorsMessage?: unknown }])[0].doorsMessage
  return { manager, browser, message }
}

/** Returns the fields of the form that undoes the last act. */
function undoOf(text: string): Record<string, string> {
  const [form = ''] = /<form method="post" action="[^"]*">(?:(?!<\/form>).)*Undo/.exec(text) ?? []
  const unescaped = (value: string) => value.replaceAll('&#34;', '"').replaceAll('&amp;', '&')
  return Object.fromEntries(
    [...form.matchAll(/name="([\w-]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, unescaped(value)]),
  )
}

test('a message is set, shown to all managers, undone, set again in two languages, and ended', async () => {
  const { manager, browser, message } = await withMessage()
  const reader = await manager.signedIn('reader', null, 'joe@example.com')
  await browser.get(PATH)
  const set = await browser.act(PATH, { seen: 'null', 'message-en': ` ${TEXT} ` })
  expect(set.text).toContain(`read within 45 seconds: ${TEXT}`)
  expect(message()).toBe(TEXT)
  expect((await reader.get('/doors')).text).toContain(`<strong dir="auto">${TEXT}</strong>`)
  expect((await reader.get(PATH)).status).toBe(403)
  await browser.act(PATH, undoOf(set.text))
  expect(message()).toBeUndefined()
  await browser.act(PATH, { seen: 'null', 'message-en': BOTH.en, 'message-de': BOTH.de })
  expect(message()).toEqual(BOTH)
  expect((await browser.get('/doors', { 'Accept-Language': 'de' })).text).toContain(BOTH.de)
  const ended = await browser.act(PATH, { seen: JSON.stringify(BOTH) })
  expect(message()).toBeUndefined()
  await browser.act(PATH, undoOf(ended.text))
  expect(message()).toEqual(BOTH)
})

test('a second click sets one message, and a form of an earlier message is refused with what was typed', async () => {
  const { manager, browser, message } = await withMessage()
  await browser.get(PATH)
  const fields = { seen: 'null', 'message-en': TEXT }
  await browser.post(PATH, fields)
  expect((await browser.post(PATH, fields)).status).toBe(303)
  expect(manager.acts().filter(({ outcome }) => /doors-message/.test(String(outcome)))).toHaveLength(1)
  const other = await manager.signedIn('event-manager', null, 'joe@example.com')
  await other.get(PATH)
  const late = await other.post(PATH, { seen: 'null', 'message-en': 'We start <now>' })
  expect(late.status).toBe(409)
  expect(late.text).toContain('value="We start &lt;now&gt;"')
  expect(message()).toBe(TEXT)
  expect((await other.get('/doors')).text).toContain(TEXT)
})

test.each([
  ['101 characters', 'x'.repeat(101)],
  ['two lines', 'a\nb'],
  ['a mark of direction', 'a\u202eb'],
])('a message of %s is refused, and the typed text stays', async (_what, text) => {
  const { browser, message } = await withMessage(TEXT)
  await browser.get(PATH)
  const refused = await browser.post(PATH, { seen: JSON.stringify(TEXT), 'message-en': text, 'message-de': BOTH.de })
  expect(refused.status).toBe(409)
  expect(refused.text).toContain(`value="${BOTH.de}"`)
  expect(message()).toBe(TEXT)
})
