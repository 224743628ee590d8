import { expect, test } from 'vitest'
import { SETTINGS } from '../../../../settings.ts'
import { runPreview, startUntouched } from '../../../cli/preview/run-preview.ts'

test('brand preview shows the button of single sign-on, and does not ask the provider', async () => {
  const provider = await startUntouched()
  const env = {
    ...SETTINGS,
    PUBLIC_URL: 'http://localhost:1',
    OIDC_ISSUER: `http://${provider.host}`,
    OIDC_CLIENT_ID: 'app',
    OIDC_CLIENT_SECRET: 'OIDCSECRETMARKER',
    OIDC_LABEL: 'Acme <b>ID</b>',
  }
  const { names, screens, html } = await runPreview(env)
  expect(screens[0]?.html).toContain('Log in with Acme &lt;b&gt;ID&lt;/b&gt;')
  expect(names).toContain('signed out at the provider')
  expect(html).not.toContain('OIDCSECRETMARKER')
  expect(provider.connections()).toBe(0)
})

test('brand preview has the screens of returning viewers where single sign-on is the only way in', async () => {
  const env = { ...SETTINGS, OIDC_ISSUER: 'https://idp.example', OIDC_CLIENT_ID: 'app', OIDC_CLIENT_SECRET: 'secret' }
  const { names, screens } = await runPreview({ ...env, SSO_ONLY: 'on' })
  expect(screens[names.indexOf('welcome back')]?.html).toContain('<bdi dir="ltr">ada@example.com</bdi>')
  expect(names).not.toContain('wrong password')
})
