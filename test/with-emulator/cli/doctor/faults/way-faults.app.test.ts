import { rowsFor } from '../../../../rows.ts'
import { cacheOf } from './cache.ts'
import { testFaults } from './fault-tests.ts'
import type { Fault, Installation } from './installation.ts'

const UMLAUT = 'jürgen@example.com'
/** A test viewer with an umlaut in the name and the password. */
const withUmlaut: Pick<Fault, 'tries' | 'afterwards'> = {
  tries: ['--viewer', UMLAUT],
  afterwards({ users, env }: Installation) {
    users.add(UMLAUT, 'Grüße aus Köln')
    env.VIEWER_PASSWORD = 'Grüße aus Köln'
  },
}

const TELLING: readonly Fault[] = [
  {
    name: 'a proxy caches each sign-in screen',
    notForBrowsers: 'a viewer gets the screen of another, and signs in on it',
    proxy: cacheOf(/^\/\?/),
    findings: ['failure screen-cached'],
  },
  {
    name: 'a proxy sends the screen as Latin-1, and the viewer has an umlaut',
    ...withUmlaut,
    proxy: {
      answers: (headers, { url }) =>
        /^\/(\?|$)/.test(url ?? '') ? { ...headers, 'content-type': 'text/html; charset=iso-8859-1' } : headers,
    },
    findings: ['failure screen-charset'],
  },
  {
    name: 'a proxy renames the field for the password',
    proxy: { text: (html) => html.replaceAll('name="password"', 'name="secret"') },
    findings: ['failure form-fields-changed'],
  },
]

const OTHERS: readonly Fault[] = [
  { name: 'control: the viewer has an umlaut', ...withUmlaut, findings: [], isHarmless: true },
  {
    name: 'a proxy removes the form for the password',
    proxy: { text: (html) => html.replace(/<form[^>]*id="sign-in"[\s\S]*?<\/form>/, '') },
    findings: ['failure form-fields-changed', 'failure form-action-changed'],
  },
  {
    name: 'control: a link for a forgotten password that leads nowhere',
    settings: () => ({ FORGOT_PASSWORD_URL: 'https://nowhere.invalid/', DEFAULT_LANGUAGE: 'fr' }),
    findings: [],
    isHarmless: true,
  },
]

testFaults('passwords, and what is in front of their form', rowsFor(TELLING, OTHERS))
