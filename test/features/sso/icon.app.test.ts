import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../../src/config.ts'
import { startLoginApp } from '../../login/start-login-app.ts'
import { SETTINGS } from '../../settings.ts'
import { temporaryFolder } from '../../users/temporary-folder.ts'

const OIDC = { OIDC_ISSUER: 'https://idp.invalid', OIDC_CLIENT_ID: 'app', OIDC_CLIENT_SECRET: 'secret' }
const ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'

test('OIDC_ICON_FILE puts the icon of the provider on the button, and nothing in the icon runs', async () => {
  const file = join(temporaryFolder(), 'icon.svg')
  writeFileSync(file, ICON)
  const { entryPoints } = readConfig({ ...SETTINGS, ...OIDC, OIDC_ICON_FILE: file })
  const app = await startLoginApp({ entryPoints })
  const { text } = await app.get('/')
  const [, address = ''] = /<span><img class="icon" src="([^"]*)" alt=""[^>]*>[^<]+<\/span>/.exec(text) ?? []
  const { status, headers } = await app.get(address)
  expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml'])
  expect(headers['content-security-policy']).toContain("sandbox; default-src 'none'")
})

test('without OIDC_ICON_FILE, the button has the icon of a person', async () => {
  const app = await startLoginApp({ entryPoints: readConfig({ ...SETTINGS, ...OIDC }).entryPoints })
  expect((await app.get('/')).text).toContain(`<svg class="icon"`)
})
