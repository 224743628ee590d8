import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEditableSqliteStore } from '../../../src/users/sqlite/editable-store.ts'
import { ENTRY_POINT } from '../../login/entry-point.ts'
import { ADA } from '../../login/start-login-app.ts'
import { startMailServer, tokenIn } from '../../services/mail/mail-server.ts'
import { runHere } from '../../tools/cli/run-here.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'
import { NEW_PASSWORD, startAccountApp } from './start-account-app.ts'

const WATCH_URL = 'https://www.example.com/live?a=1&b={username}'
const IN_HTML = WATCH_URL.replace('&', '&#38;').replace('&#38;', '&amp;')
const FORM = { newPassword: NEW_PASSWORD, repeatPassword: NEW_PASSWORD }

/** The links of a page that lead away from the app. */
const linksOut = (html: string) => [...html.matchAll(/href="(https:[^"]*)"/g)].map(([, address]) => address)

function startWithPages() {
  const withPage = { ...ENTRY_POINT, features: { ...ENTRY_POINT.features, 'watch-page': WATCH_URL } }
  const other = { ...ENTRY_POINT, name: 'other', basePath: '/e/other' }
  return startAccountApp({ entryPoints: [withPage, other] })
}

test('a reset leads to the page with the video, in the mails and on the pages of its entry point', async () => {
  const app = await startWithPages()
  await app.post('/account/forgot', { username: ADA.username })
  const [mail] = await app.mail.received(1)
  expect(mail?.text).toContain(`Go to the video: ${WATCH_URL}`)
  expect(mail?.html).toContain(`href="${IN_HTML}"`)
  const token = tokenIn(mail ?? expect.unreachable())
  const saved = await app.post('/account/new-password', { token, ...FORM })
  expect(linksOut(saved.text)).toEqual([IN_HTML])
  expect(saved.text).toContain('You can now log in to the video with your new password.')
  expect(saved.text).toContain('class="primary"')
  const notice = (await app.mail.received(2))[1]
  expect(notice?.text).toContain(`Go to the video: ${WATCH_URL}`)
  const used = await app.get(`/account/new-password?token=${token}`)
  expect(used).toMatchObject({ status: 410 })
  expect(linksOut(used.text)).toEqual([IN_HTML])
  expect(used.text).toContain('Request a new link')
})

test('an entry point without the setting, and an address in the request, lead nowhere', async () => {
  const app = await startWithPages()
  const evil = 'watchUrl=https://evil.example&watch_url=https://evil.example&WATCH_URL=https://evil.example'
  await app.post(`/e/other/account/forgot?${evil}`, { username: ADA.username, watchUrl: 'https://evil.example' })
  const [mail] = await app.mail.received(1)
  expect(mail?.text).not.toContain('Go to the video')
  const token = tokenIn(mail ?? expect.unreachable())
  const form = { token, watchUrl: 'https://evil.example', WATCH_URL: 'https://evil.example', ...FORM }
  const saved = await app.post(`/e/other/account/new-password?${evil}`, form)
  expect(saved.text).toContain('Go back to the video')
  expect(`${saved.text}${mail?.raw}`).not.toContain('evil.example')
  const used = await app.get(`/e/other/account/new-password?token=${token}&${evil}`)
  expect(linksOut(used.text)).toEqual([])
})

test('an invitation names the page with the video, and a wrong address stops the command', async () => {
  const mail = await startMailServer()
  const cwd = temporaryFolder()
  const env = {
    PUBLIC_URL: 'https://login.example.com',
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    MAIL_FROM: 'login@example.com',
  }
  const add = (name: string, address: string) =>
    runHere(['viewers', 'add', name, '--invite'], { cwd, env: { ...env, WATCH_URL: address } })
  expect(await add('ada@example.com', WATCH_URL)).toMatchObject({ status: 0 })
  expect((await mail.received(1))[0]?.text).toContain(`Go to the video: ${WATCH_URL}`)
  for (const address of ['http://www.example.com/', 'javascript:alert(1)', 'https://u:p@www.example.com/']) {
    const refused = await add('eve@example.com', address)
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('WATCH_URL must') })
  }
  const store = openEditableSqliteStore(join(cwd, 'data', 'viewers.db'))
  expect(await store.inspect('eve@example.com')).toBeNull()
  await store.close()
  expect(mail.mails).toHaveLength(1)
})
