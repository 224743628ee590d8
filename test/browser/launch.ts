import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser } from 'puppeteer-core'
import { type OpenPage, openPage } from './open-page.ts'

/**
 * Stock builds of Debian's, each in a fresh profile:
 * - `chromium`: as shipped, so third-party cookies are blocked, partitioned ones are not;
 * - `chromium-no-cookies`: its owner blocks every cookie, first-party ones too;
 * - `firefox`: as shipped, so total cookie protection is on;
 * - `firefox-no-cookies`: its owner blocks every cookie.
 */
export type BrowserKind = 'chromium' | 'chromium-no-cookies' | 'firefox' | 'firefox-no-cookies'

export interface LaunchedBrowser {
  readonly browser: Browser
  /** @returns a new tab whose complaints are collected from before its first request. */
  openPage(): Promise<OpenPage>
  /** Ends the browser and removes its profile. */
  close(): Promise<void>
}

/**
 * Starts a browser of its own for one test file: nothing is shared with any other, and the machine's user profile is
 * not touched. The browsers are those that `test/provision.ts` installs.
 */
export async function launchBrowser(kind: BrowserKind): Promise<LaunchedBrowser> {
  const profile = await mkdtemp(join(tmpdir(), `${kind}-`))
  try {
    const browser = await (kind.startsWith('firefox') ? startFirefox(kind, profile) : startChromium(kind, profile))
    return {
      browser,
      openPage: async () => openPage(await browser.newPage()),
      async close() {
        await browser.close()
        await removeProfile(profile)
      },
    }
  } catch (cause) {
    await removeProfile(profile)
    throw new Error(`${kind} did not start`, { cause })
  }
}

async function startChromium(kind: BrowserKind, profile: string): Promise<Browser> {
  if (kind === 'chromium-no-cookies') {
    await mkdir(join(profile, 'Default'))
    const preferences = { profile: { default_content_setting_values: { cookies: 2 } } }
    await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences))
  }
  return puppeteer.launch({
    executablePath: '/usr/bin/chromium',
    env: { ...process.env, HOME: profile },
    defaultViewport: null,
    // Puppeteer's own flags switch features on and off; what is tested is the browser that viewers have.
    ignoreDefaultArgs: true,
    args: [
      '--headless',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--user-data-dir=${profile}`,
      '--window-size=1280,720',
      'about:blank',
    ],
  })
}

function startFirefox(kind: BrowserKind, profile: string): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    headless: true,
    env: { ...process.env, HOME: profile },
    defaultViewport: null,
    args: ['--profile', profile],
    // Puppeteer's profile loosens cookies and SameSite; these are the defaults of Firefox again.
    extraPrefsFirefox: {
      'browser.contentblocking.features.standard': '',
      'network.cookie.cookieBehavior': kind === 'firefox-no-cookies' ? 2 : 5,
      'network.cookie.sameSite.laxByDefault': false,
    },
  })
}

async function removeProfile(profile: string): Promise<void> {
  // A browser's last processes may still write into the profile for a moment after the first has gone.
  await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}
