import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { UNBRANDED } from '../../src/brand/brand.ts'
import { readConfig, settingNames } from '../../src/config.ts'
import { APP_SETTINGS, mistakesIn, SETTINGS } from '../settings.ts'
import { temporaryFolder } from '../users/temporary-folder.ts'

function logoFile(): string {
  const file = join(temporaryFolder(), 'logo.svg')
  writeFileSync(file, '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 30"/>')
  return file
}

const BRAND = {
  BRAND_NAME: ' Acme TV ',
  BRAND_TITLE: 'Annual meeting',
  BRAND_COLOR: '#2F4BD8',
  BRAND_COLOR_DARK: '#8ea2ff',
  COLOR_SCHEME: 'auto',
  HELP_URL: 'https://help.example/a?b=c#d',
  FORGOT_PASSWORD_URL: 'https://help.example/forgot',
  TERMS_URL: 'mailto:legal@help.example?subject=Terms',
  USERNAME_KIND: 'email',
  DEFAULT_LANGUAGE: 'de',
}
const EXPECTED = {
  name: 'Acme TV',
  title: 'Annual meeting',
  colors: { light: '#2f4bd8', dark: '#8ea2ff' },
  colorScheme: 'auto',
  helpUrl: 'https://help.example/a?b=c#d',
  forgotPasswordUrl: 'https://help.example/forgot',
  termsUrl: 'mailto:legal@help.example?subject=Terms',
  usernameKind: 'email',
  defaultLanguage: 'de',
}
const LOGO = { type: 'image/svg+xml', width: 90, height: 30 }

/** The mistakes in an entry of a file of entry points. */
function mistakesInEntry(fields: object): string[] {
  return mistakesIn({ ...APP_SETTINGS, ENTRY_POINTS_FILE: entryFile(fields) })
}

function entryFile(fields: object): string {
  const file = join(temporaryFolder(), 'entry-points.json')
  const { HASH_SECRET: secret, PLAYER_RETURN_URL: playerReturnUrl, PLAYER_ORIGINS } = SETTINGS
  writeFileSync(
    file,
    JSON.stringify([{ name: 'x', secret, playerReturnUrl, playerOrigins: [PLAYER_ORIGINS], ...fields }]),
  )
  return file
}

describe('the settings of a brand', () => {
  test('without settings, the screens are those of the kit', () => {
    expect(readConfig(SETTINGS).entryPoints[0]?.brand).toEqual(UNBRANDED)
  })

  test('all settings of a brand are read from the environment', () => {
    const logo = logoFile()
    const settings = { ...SETTINGS, ...BRAND, BRAND_LOGO_FILE: logo, BRAND_LOGO_DARK_FILE: logo }
    expect(readConfig(settings).entryPoints[0]?.brand).toMatchObject({ ...EXPECTED, logo: LOGO, darkLogo: LOGO })
  })

  test('an entry of the file has the same settings in camel case, and each entry its own', () => {
    const camelCase = (name: string) =>
      name.toLowerCase().replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase())
    const fields = Object.fromEntries(Object.entries(BRAND).map(([name, value]) => [camelCase(name), value]))
    const ENTRY_POINTS_FILE = entryFile({ ...fields, brandLogoFile: logoFile() })
    const { entryPoints } = readConfig({ ...APP_SETTINGS, ENTRY_POINTS_FILE })
    expect(entryPoints[0]?.brand).toMatchObject({ ...EXPECTED, logo: LOGO, darkLogo: null })
    expect(mistakesInEntry({ BRAND_COLOUR: 'x' })[0]).toContain('did you mean brandColor?')
    expect(mistakesInEntry({ brandLogoFile: logoFile() }).join()).toContain('brandLogoFile needs brandName')
  })

  test('the default language may name a region', () => {
    expect(readConfig({ ...SETTINGS, DEFAULT_LANGUAGE: 'de-AT' }).entryPoints[0]?.brand.defaultLanguage).toBe('de')
  })

  test('a title may have a text for each language, as JSON in the environment and as an object in the file', () => {
    const title = { en: 'Annual meeting', 'de-AT': 'Hauptversammlung' }
    const read = { en: 'Annual meeting', de: 'Hauptversammlung' }
    const { entryPoints } = readConfig({ ...SETTINGS, BRAND_TITLE: JSON.stringify(title) })
    expect(entryPoints[0]?.brand.title).toEqual(read)
    const fromFile = readConfig({ ...APP_SETTINGS, ENTRY_POINTS_FILE: entryFile({ brandTitle: title }) })
    expect(fromFile.entryPoints[0]?.brand.title).toEqual(read)
    for (const brandTitle of [null, 7, ['x']]) {
      expect(mistakesInEntry({ brandTitle }).join()).toContain('brandTitle must be text, or an object')
    }
    expect(mistakesIn({ ...SETTINGS, BRAND_TITLE: '{}' }).join()).toContain('a JSON object with a line for each')
  })

  test('a logo needs a name, and a dark logo another logo', () => {
    const file = logoFile()
    expect(mistakesIn({ ...SETTINGS, BRAND_LOGO_FILE: file }).join()).toContain('BRAND_LOGO_FILE needs BRAND_NAME')
    const dark = { ...SETTINGS, BRAND_LOGO_DARK_FILE: file }
    expect(mistakesIn(dark).join()).toContain('BRAND_LOGO_DARK_FILE needs BRAND_LOGO_FILE')
  })

  test('README.md of the brand has a row for every setting of the brand', () => {
    const readme = readFileSync(new URL('../../src/brand/README.md', import.meta.url), 'utf8')
    const rows = [...readme.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name)
    expect(rows.toSorted()).toEqual([...Object.keys(BRAND), 'BRAND_LOGO_FILE', 'BRAND_LOGO_DARK_FILE'].toSorted())
  })

  test('a link may have letters of any language', () => {
    const { entryPoints } = readConfig({ ...SETTINGS, HELP_URL: 'https://müller.example/größe' })
    expect(entryPoints[0]?.brand.helpUrl).toBe('https://xn--mller-kva.example/gr%C3%B6%C3%9Fe')
  })

  test('a link on localhost may be plain http if the app is on localhost too', () => {
    const settings = { ...SETTINGS, PUBLIC_URL: 'http://localhost:3000', HELP_URL: 'http://localhost:4000/help' }
    expect(readConfig(settings).entryPoints[0]?.brand.helpUrl).toBe('http://localhost:4000/help')
  })

  test('the settings of a brand belong to the entry point, so ENTRY_POINTS_FILE replaces them', () => {
    expect(settingNames()).toEqual(expect.arrayContaining(Object.keys(BRAND)))
    const both = { ...APP_SETTINGS, ENTRY_POINTS_FILE: entryFile({}), BRAND_NAME: 'Acme' }
    expect(mistakesIn(both)[0]).toContain('replaces BRAND_NAME')
  })
})
