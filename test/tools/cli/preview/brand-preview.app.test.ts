import { existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UNBRANDED } from '../../../../src/brand/brand.ts'
import { everyScreen, startAppWithEveryScreen } from '../../../login/screens/every-screen.ts'
import { SETTINGS } from '../../../settings.ts'
import { temporaryFolder } from '../../../users/temporary-folder.ts'
import { runPreview } from './run-preview.ts'

const HOSTILE = '</script><script>alert(1)</script>'
const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><circle cx="20" cy="20" r="18"/></svg>'

/** The heading of a screen, and the reason of its refusal. */
function kindOf(html = ''): (string | undefined)[] {
  return [/<h1[^>]*>(.*?)<.h1>/.exec(html)?.[1], /name="reason" content="([^"]*)/.exec(html)?.[1]]
}

test('brand preview has the screens that the tests of the screens have, under the same names', async () => {
  const app = await startAppWithEveryScreen(UNBRANDED)
  const known = await everyScreen(app, 'en', [])
  const { names, screens, stdout, file } = await runPreview(SETTINGS)
  const shown = Object.fromEntries(names.map((name, index) => [name, kindOf(screens[index]?.html)]))
  expect(shown).toMatchObject(Object.fromEntries(known.map(({ name, html }) => [name, kindOf(html)])))
  expect(stdout).toBe(`Wrote ${file} with ${names.length} screens. Open it in a browser.\n`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('brand preview names no address, contains no secret, and escapes the brand', async () => {
  const logo = join(temporaryFolder(), 'logo.svg')
  writeFileSync(logo, LOGO)
  const { html, screens } = await runPreview({
    ...SETTINGS,
    BRAND_NAME: HOSTILE,
    BRAND_TITLE: HOSTILE,
    BRAND_LOGO_FILE: logo,
    COLOR_SCHEME: 'auto',
    HELP_URL: 'https://customer.example/help',
    TERMS_URL: 'https://customer.example/terms',
  })
  expect(html.match(/https?:\/\/[^"<\s]*|player\.example|customer\.example/g)).toBe(null)
  for (const secret of [SETTINGS.HASH_SECRET, SETTINGS.SESSION_SECRET]) expect(html).not.toContain(secret)
  expect(html.match(/<script>alert|<script[ >]/g)).toHaveLength(2)
  expect(html).toContain(`data:image/svg+xml;base64,${Buffer.from(LOGO).toString('base64')}`)
  expect(html).toContain("default-src 'none'; script-src &#39;sha256-".replaceAll("'", '&#39;'))
  expect(screens[0]?.sizes).toEqual(['320x180', '375x211', '480x270', '640x360', '1280x720', '375x667'])
  expect(html).toContain('data-scheme="light"')
  expect(screens.filter((screen) => /<script|<form[^>]* action|value="https/.test(screen.html))).toEqual([])
})

test('brand preview has the language and the sentence of choice', async () => {
  const { html } = await runPreview(SETTINGS, ['--language', 'de', '--policy-text', 'Ihr Ticket ist abgelaufen.'])
  expect(html).toContain('Benutzername oder Passwort ist falsch.')
  expect(html).toContain('Ihr Ticket ist abgelaufen.')
})

test.each([
  [['--language', 'tlh'], 'There is no language "tlh" in views/languages.'],
  [['--entry-point', 'other'], 'Unknown entry point "other". Use --entry-point with one of: default.'],
])('brand preview refuses %j and writes no file', async (args, fault) => {
  const { status, stderr, file } = await runPreview(SETTINGS, args)
  expect([status, stderr.replace(/\s+/g, ' ')]).toEqual([1, `Failed: ${fault} `])
  expect(existsSync(file)).toBe(false)
})
