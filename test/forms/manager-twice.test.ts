import { expect, test } from 'vitest'
import { createAgain } from '../../src/tools/manager/door/again.ts'
import type { Answer } from '../../src/tools/manager/door/route.ts'

const form = (fields: Readonly<Record<string, string>>) => ({
  values: new Map(Object.entries(fields).map(([name, value]) => [name, [value]])),
  upload: null,
})

/** Posts of two sessions. Counts the acts. */
function start() {
  const clock = { ms: 1 }
  const again = createAgain<Answer>(
    (answer) => answer.kind === 'redirect' && answer.notice?.tone === 'refused',
    () => clock.ms,
  )
  const acts: string[] = []
  function post(session: string, address: string, fields = {}, work?: () => Promise<Answer>): Promise<Answer> {
    const act = () => {
      acts.push(`${session} ${address}`)
      return work?.() ?? ({ kind: 'redirect', to: `${address} ${acts.length}` } as const)
    }
    return again(session, address, form(fields), act).answer
  }
  return { clock, acts, post }
}

test('the same form twice in a session is one act with one answer, also while it runs, for ten seconds', async () => {
  const { clock, acts, post } = start()
  const { promise, resolve } = Promise.withResolvers<Answer>()
  const running = [post('a', '/open', {}, () => promise), post('a', '/open', {}, () => promise)]
  resolve({ kind: 'redirect', to: '/done' })
  expect(await Promise.all(running)).toEqual(Array.from(running, () => ({ kind: 'redirect', to: '/done' })))
  clock.ms += 9_999
  expect(await post('a', '/open')).toEqual({ kind: 'redirect', to: '/done' })
  expect(acts).toEqual(['a /open'])
  clock.ms += 2
  await post('a', '/open')
  expect(acts).toHaveLength(2)
})

test('other sessions, other fields, other addresses and an act in between are acts of their own', async () => {
  const { acts, post } = start()
  for (const [session, address, fields] of [
    ['a', '/open', {}],
    ['b', '/open', {}],
    ['a', '/open', { name: 'x' }],
    ['a', '/close', {}],
    ['a', '/open', {}],
  ] as const) {
    await post(session, address, fields)
  }
  expect(acts).toHaveLength(5)
})

test('a form that was refused, or failed, is tried again', async () => {
  const { acts, post } = start()
  const refused = () => Promise.resolve<Answer>({ kind: 'redirect', to: '/', notice: { tone: 'refused', text: 'x' } })
  await post('a', '/open', {}, refused)
  await expect(post('a', '/open', {}, () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  await post('a', '/open')
  expect(acts).toHaveLength(3)
})
