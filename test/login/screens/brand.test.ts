import { describe, expect, test } from 'vitest'
import { type Brand, UNBRANDED } from '../../../src/brand/brand.ts'
import { textsOf } from '../../../src/languages/languages.ts'
import { CONSUMER, ENTRY_POINT, entryPointAt } from '../entry-point.ts'
import { STORE_DOWN } from '../memory-users.ts'
import { alertOf, unescaped } from '../refused-answer.ts'
import { cookieIn } from '../signed-in.ts'
import { ADA, type Answer, formOf, type LoginApp, startLoginApp } from '../start-login-app.ts'

const svg = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><rect fill="${color}"/></svg>`
const logoOf = (color: string, width: number) =>
  ({ type: 'image/svg+xml', content: Buffer.from(svg(color)), width, height: 40 }) as const
const LINKS = {
  helpUrl: 'https://help.example/?a=1&b=2',
  forgotPasswordUrl: 'https://help.example/forgot',
  termsUrl: 'mailto:legal@help.example',
}
const BRAND: Brand = { ...UNBRANDED, ...LINKS, name: 'Acme & Söhne', logo: logoOf('red', 40), colorScheme: 'auto' }

async function startWith(brand: Partial<Brand>, more: Partial<typeof ENTRY_POINT> = {}): Promise<LoginApp> {
  return await startLoginApp({ entryPoints: [{ ...ENTRY_POINT, ...more, brand: { ...BRAND, ...brand } }] })
}

/** The addresses that a screen leads to outside of this app. */
function linksOf({ text }: Answer): string[] {
  return [...text.matchAll(/href="((?:https|mailto):[^"]*)" target="_blank" rel="noopener"/g)].map(([, address = '']) =>
    unescaped(address),
  )
}

const titleOf = ({ text }: Answer) => unescaped(/<title>([^<]*)</.exec(text)?.[1] ?? '')
const headingOf = ({ text }: Answer) => unescaped(/<h1[^>]*>([^<]*)</.exec(text)?.[1] ?? '')
const logosOf = ({ text }: Answer) =>
  [...text.matchAll(/(?:src|srcset)="(\/assets\/brand-[^"]*)"/g)].map(([, at]) => at)

describe('the name', () => {
  test('the window names the brand, and the heading says what to do', async () => {
    const answer = await (await startWith({})).get('/')
    expect([titleOf(answer), headingOf(answer)]).toEqual(['Log in to Acme & Söhne', 'Log in to watch'])
    expect(answer.text).toContain('<span dir="auto">Acme &amp; Söhne</span>')
  })

  test('a title of its own is in the heading and in the window, also for a returning viewer', async () => {
    const app = await startWith({ title: 'Annual meeting' })
    const Cookie = cookieIn(await app.post('/sign-in', ADA))
    for (const answer of [await app.get('/'), await app.get('/?prompt=login', { Cookie })]) {
      expect([titleOf(answer), headingOf(answer)]).toEqual(['Annual meeting', 'Annual meeting'])
    }
  })

  test('a title in several languages is in that of the viewer, else in the default language', async () => {
    const app = await startWith({ title: { fr: 'Assemblée', de: 'Versammlung' }, defaultLanguage: 'de' })
    const other = await startWith({ title: { fr: 'Assemblée' } })
    const titlesIn = async ({ get }: LoginApp, language: string) => {
      const answer = await get('/', { 'Accept-Language': language })
      return [titleOf(answer), headingOf(answer)]
    }
    expect(await titlesIn(app, 'fr-CA')).toEqual(['Assemblée', 'Assemblée'])
    expect(await titlesIn(app, 'ja')).toEqual(['Versammlung', 'Versammlung'])
    expect(await titlesIn(other, 'en')).toEqual(['Log in to Acme & Söhne', 'Log in to watch'])
  })

  test('the title of a screen with an error begins with the word for it', async () => {
    const app = await startWith({})
    expect(titleOf(await app.post('/sign-in', { ...ADA, password: 'x' }))).toBe('Error: Log in to Acme & Söhne')
    expect(titleOf(await app.get('/?hashConsumer=x'))).toMatch(/^Error: /)
    expect(titleOf(await app.get('/nowhere', { 'Accept-Language': 'fr' }))).toMatch(/^Erreur\s?: /)
  })

  test('each entry point has its own brand, and a page outside of them the brand of the one at /', async () => {
    const news = entryPointAt('news', { brand: UNBRANDED })
    const app = await startLoginApp({ entryPoints: [{ ...ENTRY_POINT, brand: BRAND }, news] })
    expect((await app.get('/')).text).toContain('Acme')
    expect((await app.get('/nowhere')).text).toContain('Acme')
    expect((await app.get('/e/news')).text).not.toMatch(/Acme|brand-/)
  })
})

describe('the logo', () => {
  test('a square logo stands before the name, a wordmark instead of it', async () => {
    const square = await (await startWith({})).get('/')
    expect(square.text).toMatch(/<img [^>]*width="40" height="40" alt=""/)
    const wordmark = await (await startWith({ logo: logoOf('red', 160) })).get('/')
    expect(wordmark.text).toMatch(/<img [^>]*width="160" height="40" alt="Acme &amp; Söhne"/)
    expect(wordmark.text).not.toContain('>Acme')
  })

  test.each([
    ['auto', true],
    ['dark', true],
    ['light', false],
  ] as const)('a logo without a dark one on %s screens stands on a plate: %s', async (colorScheme, hasPlate) => {
    const answer = await (await startWith({ colorScheme })).get('/')
    expect(answer.text.includes('class="plate"')).toBe(hasPlate)
    expect(logosOf(answer)).toHaveLength(1)
  })

  test('the dark logo is for dark screens only', async () => {
    const darkLogo = logoOf('white', 40)
    const ofDark = await (await startWith({ colorScheme: 'dark', darkLogo })).get('/')
    const ofLight = await (await startWith({ colorScheme: 'light', darkLogo })).get('/')
    const both = await (await startWith({ darkLogo })).get('/')
    expect(logosOf(both)).toEqual([...logosOf(ofDark), ...logosOf(ofLight)])
    expect(both.text).toContain('media="(prefers-color-scheme: dark)"')
    expect(both.text).not.toContain('class="plate"')
  })

  test('a logo is served with headers that let no script run, and stays in the cache of browsers', async () => {
    const app = await startWith({})
    const [address = ''] = logosOf(await app.get('/'))
    const answer = await app.get(address)
    expect(answer).toMatchObject({ status: 200, setCookies: [] })
    expect(answer.headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'content-length': String(BRAND.logo?.content.length),
    })
    expect(answer.headers['content-security-policy']).toMatch(/^sandbox; default-src 'none'; .*frame-ancestors 'none'$/)
    expect((await app.send('HEAD', address)).status).toBe(200)
    expect((await app.get(`${address}?x`)).headers['cache-control']).toBe('no-cache')
  })
})

describe('the colors', () => {
  test('colors come in a stylesheet of their own, because the policy allows no inline style', async () => {
    const app = await startWith({ colors: { light: '#c8102e', dark: '#ffd400' } })
    const screen = await app.get('/')
    const address = /href="(\/assets\/brand-[^"]*\.css)"/.exec(screen.text)?.[1] ?? ''
    const { headers, text } = await app.get(address)
    expect(headers['content-type']).toBe('text/css; charset=utf-8')
    expect(text).toContain('--accent: light-dark(#c8102e, #ffd400); --on-accent: light-dark(#fff, #000)')
    expect(screen.text.indexOf(address)).toBeGreaterThan(screen.text.indexOf('/assets/screen.css'))
  })

  test.each([
    ['auto', 'light dark'],
    ['dark', 'dark'],
    ['light', 'light'],
  ] as const)('COLOR_SCHEME=%s is named before the stylesheets', async (colorScheme, content) => {
    const { text } = await (await startWith({ colorScheme })).get('/')
    const at = text.indexOf(`<meta name="color-scheme" content="${content}">`)
    expect(at).toBeGreaterThan(0)
    expect(at).toBeLessThan(text.indexOf('<link'))
  })
})

describe('the links', () => {
  const { forgotPasswordUrl, helpUrl, termsUrl } = LINKS

  test('without a password form, no screen has the link for a forgotten password', async () => {
    const app = await startWith({}, { hasPasswordForm: false })
    expect((await app.get('/')).text).not.toContain(forgotPasswordUrl)
  })

  test('links open in a tab of their own, and a message leaves out the one for a forgotten password', async () => {
    const app = await startWith({}, { allowedGroups: ['gold'] })
    // The first is beside the label of the password, the second for small players.
    expect(linksOf(await app.get('/'))).toEqual([forgotPasswordUrl, forgotPasswordUrl, helpUrl, termsUrl])
    for (const answer of [
      await app.post('/sign-in', ADA),
      await app.get('/nowhere'),
      await app.get('/?hashConsumer=x'),
    ]) {
      expect(linksOf(answer)).toEqual([helpUrl, termsUrl])
    }
  })

  test('a screen reader hears that a link opens in a new tab, except for a mail address', async () => {
    const { text } = await (await startWith({})).get('/?lang=de')
    const { forgotPassword, opensInNewTab } = textsOf('de')
    expect(text).toContain(`aria-label="${forgotPassword} (${opensInNewTab})" href="${forgotPasswordUrl}"`)
    expect(text).not.toMatch(/aria-label="[^"]*" href="mailto:/)
  })

  test('a disabled viewer finds help in the message, an expired password leads to a new one', async () => {
    const app = await startWith({})
    app.users.add('bob', 'pw')
    app.users.add('eve', 'pw')
    app.users.disable('bob')
    app.users.expirePassword('eve')
    const messageLink = ({ text }: Answer) =>
      unescaped(/role="alert"[^>]*>[^<]*<a [^>]*href="([^"]*)"/.exec(text)?.[1] ?? '')
    expect(messageLink(await app.post('/sign-in', { username: 'bob', password: 'pw' }))).toBe(helpUrl)
    const expired = await app.post('/sign-in', { username: 'eve', password: 'pw' })
    expect(messageLink(expired)).toBe(forgotPasswordUrl)
    expect(alertOf(expired)).toMatch(/Change password$/)
  })

  test('without links, an expired password says where to change it', async () => {
    const app = await startLoginApp()
    app.users.expirePassword(ADA.username)
    expect(linksOf(await app.post('/sign-in', ADA))).toEqual([])
  })
})

describe('no screen is a dead end', () => {
  const primaryOf = ({ text }: Answer) => unescaped(/class="primary" href="([^"]*)"/.exec(text)?.[1] ?? 'none')

  test.each([
    ['an unknown page', (app: LoginApp) => app.get('/nowhere'), '/'],
    ['a wrong method', (app: LoginApp) => app.get('/sign-in'), '/'],
    ['a form that is too large', (app: LoginApp) => app.post('/sign-in', 'x'.repeat(10_000)), '/'],
  ])('%s leads back to the sign-in', async (_case, ask, address) => {
    expect(primaryOf(await ask(await startLoginApp()))).toBe(address)
  })

  test.each(['hashConsumer=x', 'ustreamContentId=%20'])(
    'only the player can correct %s: no link helps',
    async (query) => {
      const app = await startLoginApp()
      expect(primaryOf(await app.get(`/?${query}`))).toBe('none')
    },
  )

  test('a returning viewer can ask again for the same consumer after an outage', async () => {
    const app = await startLoginApp()
    const Cookie = cookieIn(await app.post('/sign-in', ADA))
    app.users.fail(STORE_DOWN)
    const answer = await app.get(`/?${formOf({ hashConsumer: CONSUMER })}`, { Cookie })
    expect([answer.status, primaryOf(answer)]).toEqual([503, `/?${formOf({ hashConsumer: CONSUMER })}`])
  })
})

describe('email addresses as user names', () => {
  test('the field asks for an email address, and the keyboard of phones has an @', async () => {
    const { text } = await (await startWith({ usernameKind: 'email' })).get('/')
    expect(text).toMatch(/<label for="username">Email</)
    expect(text).toMatch(/<input id="username"[^>]*inputmode="email"[^>]*enterkeyhint="next"/)
    expect((await (await startWith({})).get('/')).text).toMatch(/<label for="username">Username</)
  })

  test('the errors speak of an email address', async () => {
    const app = await startWith({ usernameKind: 'email' })
    expect(alertOf(await app.post('/sign-in', { ...ADA, password: 'x' }))).toMatch(/email/i)
    expect(alertOf(await app.post('/sign-in', 'username=&password='))).toMatch(/email/i)
  })
})

/** The fields that the browser is told to focus. */
const focused = ({ text }: Answer) => [...text.matchAll(/<input id="(\w+)"[^>]*autofocus>/g)].map(([, id]) => id)

test('a fault in the fields marks them as invalid, any other fault only describes them', async () => {
  const app = await startLoginApp()
  const wrong = await app.post('/sign-in', { ...ADA, password: 'x' })
  expect(wrong.text.match(/aria-invalid="true" aria-describedby="alert"/g)).toHaveLength(2)
  expect(focused(wrong)).toEqual(['password'])
  expect(focused(await app.post('/sign-in', 'username=&password='))).toEqual(['username'])
  expect(focused(await app.post('/sign-in', 'username=ada&password='))).toEqual(['password'])
  expect(focused(await app.get('/'))).toEqual([])
  app.users.fail(STORE_DOWN)
  const down = await app.post('/sign-in', ADA)
  expect(focused(down)).toEqual([])
  expect(down.text).not.toContain('aria-invalid')
  expect(down.text.match(/aria-describedby="alert"/g)).toHaveLength(2)
})

test('the default language is for browsers that ask for none of ours', async () => {
  const app = await startWith({ defaultLanguage: 'de' })
  const languageOf = async (headers = {}) => /<html lang="([^"]*)"/.exec((await app.get('/', headers)).text)?.[1]
  expect(await languageOf()).toBe('de')
  expect(await languageOf({ 'Accept-Language': 'tlh' })).toBe('de')
  expect(await languageOf({ 'Accept-Language': 'ja' })).toBe('ja')
})

test('a screen in Arabic runs from right to left, but a user name does not', async () => {
  const app = await startLoginApp()
  const Cookie = cookieIn(await app.post('/sign-in', ADA))
  const { text } = await app.get('/?prompt=login', { Cookie, 'Accept-Language': 'ar' })
  expect(text).toContain('<html lang="ar" dir="rtl">')
  expect(text).toContain(`<bdi dir="ltr">${ADA.username}</bdi>`)
  expect(text).toMatch(/<input id="username"[^>]*dir="ltr"/)
})
