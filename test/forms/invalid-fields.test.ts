import { expect, test } from 'vitest'
import { UNBRANDED } from '../../src/brand/brand.ts'
import { everyScreen, startAppWithEveryScreen } from '../login/screens/every-screen.ts'

/** The fields that a refusal marks. All others are not marked. */
const MARKED: Readonly<Record<string, readonly string[]>> = {
  'wrong password': ['username', 'password'],
  'wrong password of a long name': ['username', 'password'],
  'empty fields': ['username', 'password'],
  'invalid character': ['username', 'password'],
  'welcome back, wrong password': ['username', 'password'],
  'welcome back, long name, wrong password': ['username', 'password'],
  'wrong mail address': ['mail'],
  'wrong mail code': ['code'],
  'wrong access code': ['code'],
  'unusable name': ['name'],
  'register: wrong address': ['address'],
  'register: wrong code': ['code'],
  'register: first step after a fault': ['field1'],
  'register: second step after a fault': ['field3', 'field4'],
}

test('each form marks the fields that the viewer has to correct, and no other', async () => {
  const app = await startAppWithEveryScreen(UNBRANDED)
  const screens = await everyScreen(app, 'en')
  const marked = screens.map(({ name, html }) => {
    const inputs = [...html.matchAll(/<(?:input|select)\b[^>]*? id="([^"]*)"([^>]*)>/g)]
    const wrong = inputs.filter(([, , attributes = '']) => attributes.includes('aria-invalid="true"'))
    for (const [tag] of wrong) expect(tag.match(/aria-describedby="[^"]*alert"/g)).toHaveLength(1)
    for (const [tag] of inputs)
      expect(tag.match(/aria-describedby/g) ?? []).toHaveLength(tag.includes('aria-d') ? 1 : 0)
    return [name, wrong.map(([, id]) => id)]
  })
  expect(marked).toEqual(screens.map(({ name }) => [name, MARKED[name] ?? []]))
})
