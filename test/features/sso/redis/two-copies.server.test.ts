import { expect, onTestFinished, test } from 'vitest'
import { addAda, programSettings } from '../../../login/login-program.ts'
import { idIn } from '../../../login/signed-in.ts'
import { startLoginProgram } from '../../../login/start-program.ts'
import { startRedis } from '../../../redis/servers/redis.ts'
import { CLIENT, startProvider } from '../start-provider.ts'
import { cookiesOf, fieldOf, refreshOf, visitProvider } from '../start-sso.ts'

test('two copies with a common Redis complete a sign-in whose every step is at the other copy', async () => {
  const settings = programSettings()
  const origin = settings.PUBLIC_URL ?? ''
  await addAda(settings)
  const [redis, { issuer }] = await Promise.all([
    startRedis(),
    startProvider({ redirectUri: `${origin}/sso/callback`, signsIn: 'ada' }),
  ])
  onTestFinished(() => redis.remove())
  const both = {
    ...settings,
    SESSION_STORE_URL: redis.url,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT.clientId,
    OIDC_CLIENT_SECRET: CLIENT.secret,
  }
  const [one, other] = await Promise.all([startLoginProgram(both), startLoginProgram(both)])
  const at = async ({ port }: { port: number }, path: string, form?: Record<string, string>, headers = {}) => {
    const body = form && { method: 'POST', body: new URLSearchParams(form) }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', headers, ...body })
    const setCookies = answer.headers.getSetCookie()
    return { status: answer.status, setCookies, headers: Object.fromEntries(answer.headers), text: await answer.text() }
  }
  const screen = await at(one, '/')
  const flow = fieldOf(screen, 'flow')
  const wait = fieldOf(screen, 'wait')
  await expect
    .poll(async () => (await fetch(`http://127.0.0.1:${other.port}/health/ready`)).text())
    .toContain('"ready"')
  const started = await at(other, '/sso/start', { flow }, { Origin: origin, 'Sec-Fetch-Dest': 'document' })
  const callback = await visitProvider(refreshOf(started))
  const done = await at(one, callback, undefined, { Cookie: cookiesOf(started) })
  // A double click, whose second post goes to the other copy.
  const form = { wait, page: /name="page" value="([\w-]{36})"/.exec(screen.text)?.[1] ?? '' }
  const press = (copy: typeof one) => at(copy, '/sso/continue', form, { 'Sec-Fetch-Site': 'same-origin' })
  const [answer, again] = await Promise.all([press(other), press(one)])
  expect([started.status, done.status, answer.status, again.status]).toEqual([200, 200, 303, 303])
  expect(idIn(cookiesOf(again))).toBe(idIn(cookiesOf(answer)))
  expect(answer.headers.location).toContain(encodeURIComponent('ada@example.com'))
  expect((await at(one, '/', undefined, { Cookie: cookiesOf(answer) })).status).toBe(303)
})
