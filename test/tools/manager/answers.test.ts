import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { features } from '../../../src/tools/features.ts'
import { storedPasswords } from '../../../src/users/passwords/stored-passwords.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { startManager } from './start-manager.ts'

const ADA = 'ada@example.com'
const ONE = `/people/one/${encodeURIComponent(ADA)}`
const point = (name: string) => ({ ...ENTRY_POINT, name, allowedGroups: [name] })
const FINE = 'Nothing is in the way.'
const NO_PASSWORD = 'There is neither a password nor an invitation.'
const ONLY_MEMBERS = 'lets in only members of'
const SENDS_LINKS = features.some(({ name }) => name === 'account') ? ['send-link'] : []

/** Returns the event, the sentences and the acts of each row. */
function answersIn(text: string) {
  const [table = ''] = /<table class="answers">.*?<\/table>/s.exec(text) ?? []
  return [...table.matchAll(/<tr><th scope="row">([^<]*)<\/th>(.*?)<\/tr>/gs)].map(([, event, cell = '']) => ({
    event,
    text: cell.replace(/<[^>]+>/g, ' '),
    acts: [...cell.matchAll(/\/([\w-]+)"><input type="hidden" name="token"|href="(#edit)"/g)].map(
      (one) => one[1] ?? one[2],
    ),
  }))
}

async function start(groups: readonly string[], hasPassword: boolean, only: readonly string[] | null = null) {
  const manager = await startManager({ entryPoints: [point('gold'), point('silver')] })
  const viewer = { username: ADA, groups, attributes: {} }
  // A unit test hashes no password.
  const passwordHash = storedPasswords.dummyHash
  if (hasPassword) await manager.users.importBatch([{ ...viewer, passwordHash, disabled: false }], 'keep')
  else await manager.users.add(viewer, null)
  const browser = await manager.signedIn('event-manager', only)
  return { manager, browser }
}

test.each([
  ['one event', ['gold'], true, [FINE, ONLY_MEMBERS], [[], ['#edit']]],
  ['both events', ['gold', 'silver'], true, [FINE, FINE], [[], []]],
  ['no event', [], true, [ONLY_MEMBERS, ONLY_MEMBERS], [['#edit'], ['#edit']]],
  [
    'one event, after an invitation',
    ['silver'],
    false,
    [NO_PASSWORD, NO_PASSWORD],
    [[...SENDS_LINKS, '#edit'], SENDS_LINKS],
  ],
])(
  'the page of a person who may enter %s has an answer for each event',
  async (_what, groups, hasPassword, texts, acts) => {
    const { browser } = await start(groups, hasPassword)
    const answers = answersIn((await browser.get(ONE)).text)
    expect(answers.map(({ event }) => event)).toEqual(['gold', 'silver'])
    expect(answers.map(({ text }, index) => text.includes(String(texts[index])))).toEqual([true, true])
    expect(answers.map((answer) => answer.acts)).toEqual(acts)
  },
)

test('a manager of one event sees the answer for this event', async () => {
  const { browser } = await start(['gold', 'silver'], true, ['gold'])
  expect(answersIn((await browser.get(ONE)).text).map(({ event }) => event)).toEqual(['gold'])
})

test('a person who is blocked or locked out has the button that helps, for each event', async () => {
  const { manager, browser } = await start(['gold', 'silver'], true)
  await manager.users.setDisabled(ADA, true)
  const answers = answersIn((await browser.get(ONE)).text)
  expect(answers.map(({ acts }) => acts)).toEqual([['enable'], ['enable']])
})

test('a name that no store and no log knows leads to the names that it may mean', async () => {
  const { manager, browser } = await start(['gold'], false)
  writeFileSync(manager.env.SECURITY_LOG_FILE, '')
  const { status, text } = await browser.get('/people/one/adda%40example.com')
  expect(status).toBe(404)
  expect(text).toContain(`href="${ONE}"`)
})
