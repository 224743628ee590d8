import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { readConfig } from '../../../../src/config.ts'
import { ssoOf } from '../../../../src/features/sso/settings/sso-settings.ts'
import { SETTINGS } from '../../../settings.ts'
import { CHOSEN_STORE } from '../../../users/chosen-store.ts'

const PAGE = readFileSync(new URL('../../../../src/features/sso/provider/README.md', import.meta.url), 'utf8')
const RECIPES = PAGE.split('\n## ').flatMap((section) => {
  const [, text] = /^```ini\n(.*?)^```$/ms.exec(section) ?? []
  return text === undefined ? [] : [{ name: section.split('\n')[0], env: parseEnv(text) }]
})
/** What only the reader has. */
const OWN = { OIDC_CLIENT_ID: 'app', OIDC_CLIENT_SECRET: 'secret' }

test('there are recipes for Entra ID and Keycloak', () => {
  expect(RECIPES.map(({ name }) => name)).toEqual(['Entra ID', 'Keycloak'])
})

test.each(RECIPES)('the .env for $name is complete, and the start accepts it', ({ env }) => {
  const required = Object.keys(SETTINGS).filter((name) => !(name in CHOSEN_STORE))
  expect(Object.keys(env)).toEqual(expect.arrayContaining(required))
  const filled = Object.entries(env).filter(([, value]) => value !== '')
  const open = Object.entries({ ...SETTINGS, ...OWN }).filter(([name]) => env[name] === '')
  const { entryPoints, warnings } = readConfig({ ...CHOSEN_STORE, ...Object.fromEntries([...open, ...filled]) })
  expect(warnings).toEqual([])
  const [entryPoint] = entryPoints
  expect(entryPoint && ssoOf(entryPoint)).toMatchObject({ isOnly: true, authentication: { kind: 'secret' } })
  expect(entryPoint).toMatchObject({ allowedGroups: [env.ALLOWED_GROUPS] })
})
