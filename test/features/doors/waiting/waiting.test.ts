import { describe, expect, test } from 'vitest'
import { UpstreamError } from '../../../../src/errors.ts'
import { parseAllowedAddress } from '../../../../src/hash-lock/return-address.ts'
import { LANGUAGES, textsOf } from '../../../../src/languages/languages.ts'
import { CONSUMER, ENTRY_POINT, entryPointAt, PLAYER } from '../../../login/entry-point.ts'
import { responseOf } from '../../../login/response-of.ts'
import { ADA, type Answer, formOf } from '../../../login/start-login-app.ts'
import { tokenEntryPoint } from '../../token/entry-point.ts'
import { startTokenApp, tokenIn } from '../../token/start-token-app.ts'
import { withDoors } from '../entry-point.ts'
import { expectWaiting, OPENS, OWN_PAGE, passIn, reasonOf, refreshOf, startWaiting, WAITING } from './waiting.ts'

const HOUR = 3600

describe('before the door opens', () => {
  test('a viewer signs in, and waits on a page that loads again by itself', async () => {
    const app = await startWaiting()
    const page = await app.enter()
    expectWaiting(page)
    expect(page.text).toContain('<h1>This event hasn’t started yet</h1>')
    expect(page.text).toContain('It opens today at 3:43 AM UTC.')
    expect(page.text).toContain('You’re logged in. The video starts by itself.')
    expect(page.text).toContain('<bdi dir="ltr">ada@example.com</bdi>')
    expect(page.headers['cache-control']).toBe('no-store')
    expect(page.headers.connection).toBe('close')
    expect(app.lines.at(-1)).toMatchObject({ outcome: 'waiting', viewer: ADA.username })
  })
  test('a script that signs a viewer in gets the address of the page', async () => {
    const app = await startWaiting()
    const answer = await app.post('/sign-in', ADA, { ...OWN_PAGE, Accept: 'application/json' })
    const { location } = JSON.parse(answer.text)
    expect([answer.status, location]).toEqual([200, expect.stringMatching(/^https:\/\/login\.example\/wait\?pass=/)])
    expectWaiting(await app.get(location.slice('https://login.example'.length)))
  })
  test('a wrong password leads to no page', async () => {
    const app = await startWaiting()
    const answer = await app.post('/sign-in', { ...ADA, password: 'wrong' })
    expect([answer.status, answer.location]).toEqual([401, undefined])
  })
  test('a returning viewer waits the same way, and needs the session to pass', async () => {
    const app = await startWaiting({ entryPoints: [withDoors(ENTRY_POINT, WAITING), entryPointAt('open')] })
    const { setCookies } = await app.post('/e/open/sign-in', ADA)
    const Cookie = String(setCookies[0]?.split(';')[0])
    const page = await app.follow(await app.get('/', { Cookie }), { Cookie })
    expectWaiting(page)
    app.clock.seconds = OPENS
    expect(reasonOf(await app.reload(page))).toBeUndefined()
    expect((await app.reload(page)).location).toBeUndefined()
    expect(new URL((await app.reload(page, { Cookie })).location ?? '').origin).toBe(PLAYER)
    expect(app.lines.at(-1)).toMatchObject({ outcome: 'returned' })
  })
  test.each(LANGUAGES)('the page is in the language %s', async (language) => {
    const app = await startWaiting()
    const page = await app.enter({ lang: language })
    const { waiting, notOpenYetTitle } = textsOf(language).doors
    expect(page.text).toContain(`<h1>${notOpenYetTitle}</h1>`)
    expect(page.text).toContain(`<p class="then">${waiting}</p>`)
    expect(page.text).toMatch(/class="opens"[^>]*>[^<]*3[:.]43/)
    expect(page.text).not.toMatch(/\{\w+\}|[\x80\x81]/)
    expect(refreshOf(page).path).toContain(`lang=${language}`)
  })
  test('a page of a cache has the name and the fields of its viewer', async () => {
    const app = await startWaiting()
    app.users.add('<b>&bob', 'bob has a password')
    const fields = { hashConsumer: `${CONSUMER}one`, ustreamContentType: 'channel', ustreamContentId: '7' }
    const pages = [
      await app.enter(),
      await app.enter({ username: '<b>&bob', password: 'bob has a password' }),
      await app.enter(fields),
    ]
    expect(pages.map(({ text }) => /<bdi dir="ltr">(.*?)<\/bdi>/.exec(text)?.[1])).toEqual([
      ADA.username,
      '&lt;b&gt;&amp;bob',
      ADA.username,
    ])
    expect(pages.map(({ text }) => text.includes(`value="${CONSUMER}one"`))).toEqual([false, false, true])
    app.clock.seconds = OPENS
    const locations = await Promise.all(pages.map(async (page) => (await app.reload(page)).location))
    expect(responseOf(locations[1]).parameters).toEqual([['user', '<b>&bob']])
    expect(responseOf(locations[2]).address).toBe(`${CONSUMER}one`)
  })
  test('the page shows the way back to the player and another account', async () => {
    const app = await startWaiting()
    const page = await app.enter({ lang: 'de' })
    expect([...page.text.matchAll(/method="post" action="([^"]+)"/g)].map(([, action]) => action)).toEqual([
      '/wait/sign-out',
      '/cancel',
    ])
    expect(page.text.match(/name="lang" value="de"/g)).toHaveLength(2)
  })
  test.each([
    [true, "script-src 'self'", 'data-opens-in="600"'],
    [false, undefined, undefined],
  ])('the page has its script if scripts are on: %s', async (hasScript, directive, attribute) => {
    const app = await startWaiting({ entryPoints: [withDoors({ ...ENTRY_POINT, hasScript }, WAITING)] })
    const page = await app.enter()
    expect(page.text.includes('/assets/doors.js')).toBe(hasScript)
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toContain(`form-action 'self' ${PLAYER}`)
    expect(policy).toContain(`frame-ancestors ${PLAYER}`)
    if (directive && attribute)
      expect([policy, page.text]).toEqual([expect.stringContaining(directive), expect.stringContaining(attribute)])
    else
      expect([policy, page.text]).toEqual([
        expect.not.stringContaining('script'),
        expect.not.stringContaining('<script'),
      ])
  })
  test('the address with the pass is in no log, and no Referer', async () => {
    const app = await startWaiting()
    const page = await app.enter()
    expect(page.headers['referrer-policy']).toBe('strict-origin')
    app.clock.seconds = OPENS
    app.users.fail(new UpstreamError('user-store', 'No answer'))
    await app.reload(page)
    app.users.fail(null)
    await app.reload(page)
    // Only in the form that ends it.
    expect(page.text.split(passIn(page))).toHaveLength(2)
    expect(JSON.stringify(app.lines)).not.toMatch(/wait\?|pass=/)
    expect(JSON.stringify(app.lines)).not.toContain(passIn(page))
  })
  test('the page closes its connection, so that no viewer who waits shuts out a new one', async () => {
    const app = await startWaiting()
    const headers = { Connection: 'keep-alive' }
    expect((await app.get('/', headers)).headers.connection).toBe('keep-alive')
    expect((await app.reload(await app.enter(), headers)).headers.connection).toBe('close')
  })

  test.each(['POST', 'PUT'])('%s is not allowed at the page', async (method) => {
    const app = await startWaiting()
    const answer = await app.send(method, '/wait')
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD'])
  })
  test.each([
    ['many groups', 300, 0, 403],
    ['some groups and a long return address', 100, 700, 403],
    ['some groups', 100, 0, 303],
    ['a long return address', 0, 700, 303],
  ])('with %s, the address may be too long for the page', async (_what, groups, segments, status) => {
    const app = await startWaiting()
    const { find: _none, ...users } = app.users
    const withoutFind = await startWaiting({ users: users as typeof app.users })
    const named = Array.from({ length: groups }, (_, index) => `a group with a long name, number ${index}`)
    app.users.add(ADA.username, ADA.password, { groups: named })
    const hashConsumer = `${CONSUMER}${'a/'.repeat(segments)}`
    expect((await withoutFind.post('/sign-in', { ...ADA, hashConsumer })).status).toBe(status)
  })
  test('without WAITING_ROOM, there is no page', async () => {
    const app = await startWaiting({ entryPoints: [withDoors(ENTRY_POINT, { ...WAITING, hasWaitingRoom: false })] })
    expect((await app.post('/sign-in', ADA)).status).toBe(403)
    expect((await app.get('/wait')).status).toBe(404)
  })
})

describe('when the door is open', () => {
  test('the page leads to the player, with a session, a line in the log and no second password check', async () => {
    const app = await startWaiting()
    const page = await app.enter()
    app.clock.seconds = OPENS
    const answer = await app.reload(page)
    const { parameters, expiresAtSeconds } = responseOf(answer.location)
    expect([answer.status, parameters, expiresAtSeconds]).toEqual([303, [['user', ADA.username]], OPENS + HOUR])
    expect(answer.setCookies).toHaveLength(1)
    expect(app.lines.at(-1)).toMatchObject({ outcome: 'signed-in', viewer: ADA.username })
    expect(app.users.asked).toHaveLength(1)
  })
  test('a shared device gets no session', async () => {
    const app = await startWaiting()
    const page = await app.enter({ shared: 'on' })
    app.clock.seconds = OPENS
    expect(await app.reload(page)).toMatchObject({ status: 303, setCookies: [] })
  })
  test('the policy decides again', async () => {
    const app = await startWaiting({ entryPoints: [withDoors({ ...ENTRY_POINT, allowedGroups: ['gold'] }, WAITING)] })
    app.users.add(ADA.username, ADA.password, { groups: ['gold'] })
    const page = await app.enter()
    app.users.add(ADA.username, ADA.password)
    app.clock.seconds = OPENS
    const answer = await app.reload(page)
    expect([answer.status, reasonOf(answer)]).toEqual([403, 'not-entitled'])
  })
  test('a token of a ref is built', async () => {
    const ref = `${CONSUMER}1234`
    const entryPoint = withDoors(tokenEntryPoint({ refAddresses: [parseAllowedAddress(CONSUMER)] }), WAITING)
    const app = await startTokenApp({ entryPoints: [entryPoint] })
    const entered = await app.post('/sign-in', { ...ADA, ref })
    const page = await app.get(entered.location ?? '')
    expectWaiting(page)
    app.clock.seconds = OPENS
    const { location } = await app.get(refreshOf(page).path)
    expect((await tokenIn(location, OPENS)).subject).toBe(ADA.username)
  })
  test('a store that is away keeps the viewer on the page, which tries again', async () => {
    const app = await startWaiting()
    const page = await app.enter()
    app.clock.seconds = OPENS
    app.users.fail(new UpstreamError('user-store', 'No answer'))
    const away = await app.reload(page)
    expect([away.status, reasonOf(away)]).toEqual([503, 'waiting'])
    expect(away.text).toContain('Login is unavailable right now.')
    expect(app.lines.at(-1)).toMatchObject({ outcome: 'failed', viewer: ADA.username, status: 503 })
    app.users.fail(null)
    expect((await app.reload(away)).status).toBe(303)
  })
  test.each([
    ['HEAD', {}],
    ['GET', { 'Sec-Fetch-Dest': 'empty', 'Sec-Fetch-Site': 'same-origin' }],
  ])('%s with %j is not a navigation, and gets no response', async (method, headers) => {
    const app = await startWaiting()
    const page = await app.enter()
    app.clock.seconds = OPENS
    const answer = await app.send(method, refreshOf(page).path, headers)
    expect([answer.status, answer.location, answer.setCookies]).toEqual([200, undefined, []])
  })
})

test('after the end, the page says that it is over', async () => {
  const app = await startWaiting()
  const page = await app.enter()
  app.clock.seconds = OPENS + 1
  app.moveDoor(OPENS, OPENS + 1)
  const answer: Answer = await app.reload(page)
  expect([answer.status, reasonOf(answer), answer.location, answer.setCookies]).toEqual([403, 'over', undefined, []])
})

test('the fields of the player come back on the sign-in screen if the pass does not count', async () => {
  const app = await startWaiting()
  const answer = await app.get(`/wait?${formOf({ pass: 'none', hashConsumer: `${CONSUMER}one` })}`)
  expect([answer.status, answer.text.includes(`value="${CONSUMER}one"`)]).toEqual([200, true])
})
