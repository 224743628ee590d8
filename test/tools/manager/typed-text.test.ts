import { readdirSync, readFileSync } from 'node:fs'
import type { Request } from 'express'
import { expect, test } from 'vitest'
import { keptForm } from '../../../src/tools/manager/door/kept-form.ts'
import { post } from '../../../src/tools/manager/door/route.ts'
import { PARTS } from './restricted/all-rows.ts'
import { GOLD, startWorld, type TypedForm } from './restricted/world.ts'
import { type Browser, codeOf, PASSWORD } from './start-manager.ts'

const FORMS = PARTS.flatMap(({ forms = [] }) => forms)
const REFUSABLE = FORMS.filter(({ wrong }) => wrong !== undefined)
const IDLE_SECONDS = 15 * 60
const HERE = 'your text is still here'
/** Fields that no person types. */
const HIDDEN = ['version', 'seen']

const send = ({ post, isUpload }: TypedForm, browser: Browser, fields: Readonly<Record<string, string>>) =>
  isUpload ? browser.upload(post, '', '', fields) : browser.post(post, fields)

/** Returns the texts of a form that a page does not have. */
function lost(text: string, typed: Readonly<Record<string, string>>): string[] {
  const values = [...text.matchAll(/<(?:input|textarea) [^>]*name="([^"]+)"([^>]*)>([^<]*)/g)].map(
    ([, name = '', attributes = '', content = '']) => `${name}=${/ value="([^"]*)"/.exec(attributes)?.[1] ?? content}`,
  )
  return Object.entries(typed).flatMap(([name, value]) =>
    HIDDEN.includes(name) || values.includes(`${name}=${value}`) ? [] : `${name}=${value}`,
  )
}

/** Signs in again, as the manager of a session that is over. @returns the page to which it leads. */
async function signInAgain(browser: Browser & { name: string; secret: string }, seconds: number, name = browser.name) {
  const { text } = await browser.get('/sign-in')
  await browser.post('/sign-in', { name, password: PASSWORD })
  await browser.get('/second-step')
  const { location } = await browser.post('/second-step', { code: codeOf(browser.secret, seconds) })
  return { text, location: location ?? '' }
}

test('each form with a field for a text is in the table', async () => {
  const { restricted } = await startWorld(PARTS)
  const found = new Set<string>()
  for (const page of new Set(FORMS.map((form) => form.page))) {
    const { text } = await restricted.get(page)
    for (const [form, action = ''] of text.matchAll(/<form method="post" action="([^"]+)".*?<\/form>/gs)) {
      if (/<textarea|<input (?![^>]*type="(?:hidden|checkbox|file|password)")/.test(form)) found.add(action)
    }
  }
  expect([...found].toSorted()).toEqual(FORMS.map(({ post }) => post).toSorted())
})

test.each(FORMS)('the text of $post is still there when the session had ended', async (form) => {
  const { restricted, clock, users, faults } = await startWorld(PARTS)
  await restricted.get(form.page)
  clock.seconds += IDLE_SECONDS
  expect((await send(form, restricted, form.typed)).location).toBe('/sign-in')
  const { text, location } = await signInAgain(restricted, clock.seconds)
  expect(text).toContain(HERE)
  expect(location).toBe(form.page)
  const back = await restricted.get(location)
  expect(lost(back.text, form.typed)).toEqual([])
  expect(back.text).toContain('Your text is still here')
  expect((await users.show('bob')).ok).toBe(false)
  expect(lost((await restricted.get(location)).text, form.typed)).not.toEqual([])
  expect(faults).toEqual([])
})

test.each(REFUSABLE)('the text of $post is still there when the app refuses it', async (form) => {
  const { restricted } = await startWorld(PARTS)
  await restricted.get(form.page)
  const fields = { ...form.typed, ...form.wrong }
  const { location, ...refused } = await send(form, restricted, fields)
  const { text } = location === null ? refused : await restricted.get(location)
  expect(lost(text, fields)).toEqual([])
})

test.each(FORMS)('the text of $post is still there when the page was open for too long', async (form) => {
  const { restricted } = await startWorld(PARTS)
  const { status, text } = await send(form, restricted, { ...form.typed, token: 'x'.repeat(43) })
  expect(status).toBe(403)
  expect(text).toContain(`href="${form.page}"`)
  expect(lost((await restricted.get(form.page)).text, form.typed)).toEqual([])
})

test('the text of one manager is not there for another, who signs in at the same browser', async () => {
  const { restricted, clock, store } = await startWorld(PARTS)
  const other = 'joe@example.com'
  store.add({ name: other, role: 'event-manager', entryPoints: ['gold'] }, PASSWORD)
  await restricted.get('/people/add')
  clock.seconds += IDLE_SECONDS
  await restricted.post('/people/add', { username: 'bob' })
  await restricted.get('/sign-in')
  await restricted.post('/sign-in', { name: other, password: PASSWORD })
  const shown = /class="secret">([^<]+)</.exec((await restricted.get('/second-step')).text)?.[1] ?? ''
  const code = codeOf(shown.replaceAll(' ', ''), clock.seconds)
  expect((await restricted.post('/second-step', { code })).location).toBe('/')
  expect((await restricted.get('/people/add')).text).not.toContain('bob')
})

test.each([
  ['another site', {}, { Origin: 'https://evil.example' }],
  ['a form with another token', { token: 'x'.repeat(43) }, {}],
])('%s leaves no text for a manager whose session has ended', async (_who, fields, headers) => {
  const { restricted, clock } = await startWorld(PARTS)
  await restricted.get('/people/add')
  clock.seconds += IDLE_SECONDS
  await restricted.post('/people/add', { username: 'bob', ...fields }, headers)
  const { text, location } = await signInAgain(restricted, clock.seconds)
  expect(text).not.toContain(HERE)
  expect(location).toBe('/')
})

test('a page that was asked for after the session had ended is there after the sign-in, but passwords are not', async () => {
  const { restricted, clock } = await startWorld(PARTS)
  clock.seconds += IDLE_SECONDS
  expect((await restricted.get('/people?text=ada')).location).toBe('/sign-in')
  expect((await signInAgain(restricted, clock.seconds)).location).toBe('/people?text=ada')
  await restricted.get('/people/add')
  clock.seconds += IDLE_SECONDS
  await restricted.post('/people/add', { username: 'bob', password: 'correct horse 13' })
  await signInAgain(restricted, clock.seconds)
  expect((await restricted.get('/people/add')).text).not.toContain('correct horse 13')
})

test.each(FORMS.filter(({ typed }) => HIDDEN.some((name) => name in typed)))(
  'what the page of $post had shown before the session ended comes back, until the app has refused it',
  async (form) => {
    const { restricted, clock } = await startWorld(PARTS)
    const shownIn = (text: string) => {
      const [own = ''] = text.match(/<form .*?<\/form>/gs)?.filter((one) => one.includes(`action="${form.post}"`)) ?? []
      return /name="(?:version|seen)" value="([^"]*)"/.exec(own)?.[1]
    }
    const [name = ''] = HIDDEN.filter((one) => one in form.typed)
    const typed = { ...form.typed, [name]: 'old' }
    const fresh = shownIn((await restricted.get(form.page)).text)
    clock.seconds += IDLE_SECONDS
    await send(form, restricted, typed)
    const { location } = await signInAgain(restricted, clock.seconds)
    expect(shownIn((await restricted.get(location)).text)).toBe('old')
    const { location: back, ...refused } = await send(form, restricted, typed)
    expect(shownIn((back === null ? refused : await restricted.get(back)).text)).toBe(fresh)
  },
)

test('a form of a session that had ended does not undo what a colleague changed since', async () => {
  const { restricted, clock, users } = await startWorld(PARTS)
  const form = FORMS.find(({ post }) => post.endsWith('/edit')) ?? expect.unreachable('no form')
  const typed = { ...form.typed, groups: 'gold' }
  const versionIn = (text: string) => /name="version" value="([^"]+)"/.exec(text)?.[1] ?? ''
  await restricted.get(form.page)
  clock.seconds += IDLE_SECONDS
  await send(form, restricted, typed)
  const stored = await users.show(GOLD)
  if (!stored.ok) expect.unreachable(stored.fault)
  await users.replace(stored.viewer, { ...stored.viewer, attributes: { phone: '17' } })
  const { location } = await signInAgain(restricted, clock.seconds)
  const back = await restricted.get(location)
  const again = { ...typed, version: versionIn(back.text) }
  const refused = await restricted.get((await send(form, restricted, again)).location ?? '')
  expect(await users.show(GOLD)).toMatchObject({ viewer: { attributes: { phone: '17' } } })
  expect(versionIn(refused.text)).not.toBe(again.version)
})

test('no field for a password is kept', () => {
  const views = new URL('../../../views/manager/', import.meta.url)
  const names = readdirSync(views, { recursive: true, encoding: 'utf8' }).flatMap((file) => {
    const inputs = file.endsWith('.ejs') ? readFileSync(new URL(file, views), 'utf8').match(/<input [^>]+/g) : null
    return (inputs ?? [])
      .filter((one) => one.includes('type="password"'))
      .map((one) => /name="([^"]+)"/.exec(one)?.[1] ?? '')
  })
  expect(names.length).toBeGreaterThan(3)
  const values = new Map([...names, 'username'].map((name) => [name, ['correct horse 13']]))
  const route = post('/account', ['reader'], 'act', () => expect.unreachable('no answer'))
  const kept = keptForm([route], route, { path: '/account', params: {} } as Request, { values, upload: null })
  expect([...(kept.values ?? [])].map(([name]) => name)).toEqual(['username'])
})

test('the text stays beside what a colleague has changed', async () => {
  const { restricted } = await startWorld(PARTS)
  const form = FORMS.find(({ post }) => post.endsWith('/edit')) ?? expect.unreachable('no form')
  const fields = { ...form.typed, version: 'old' }
  const { location } = await restricted.post(form.post, fields)
  const { text } = await restricted.get(location ?? '')
  expect(text).toContain('Your text is still here')
  expect(lost(text, fields)).toEqual([])
})
