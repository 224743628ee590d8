import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import puppeteer, { type Browser } from 'puppeteer-core'
import { openPage } from './open-page.ts'

/**
 * Debian's builds, each with a profile of its own:
 * - `chromium`: default settings. Third-party cookies are blocked, partitioned cookies are not.
 * - `chromium-no-cookies`: all cookies are blocked, also first-party cookies.
 * - `chromium-no-scripts`: no page runs a script.
 * - `firefox`: default settings, with total cookie protection.
 * - `firefox-no-cookies`: all cookies are blocked.
 * - `firefox-no-scripts`: no page runs a script. Waiting in the page is impossible too, and so are mouse clicks:
 *   use `pressKey()`.
 */
export type BrowserKind =
  | 'chromium'
  | 'chromium-no-cookies'
  | 'chromium-no-scripts'
  | 'firefox'
  | 'firefox-no-cookies'
  | 'firefox-no-scripts'

export type LaunchedBrowser = Awaited<ReturnType<typeof launchBrowser>>

/** A command without an answer fails with its name, long before the limit of a test. Puppeteer waits 30 s for selectors. */
const COMMAND_MS = 30_000
/** No retry starts a browser again for the tests that share it. */
const START_MS = 90_000

/** Hosts with ports, whose addresses the browser takes for public, local or loopback (Local Network Access). */
export interface Networks {
  readonly public: readonly string[]
  readonly app: string
  readonly space: 'local' | 'loopback'
  /** False denies the permission. */
  readonly isGranted: boolean
}

/** Browsers of this worker that no test uses, the oldest first. A start takes seconds of a core. */
const idle: RunningBrowser[] = []
const MOST_IDLE = 5

/**
 * Opens a browser without cookies, storage or pages of an earlier test. `test/provision.ts` installs the browsers.
 * @param authority a certificate in PEM form that Chromium trusts.
 */
export async function launchBrowser(kind: BrowserKind, networks?: Networks, authority?: string) {
  const isPlain = networks === undefined && authority === undefined
  const known = isPlain ? idle.findIndex((one) => one.kind === kind && one.browser.connected) : -1
  const running = idle.splice(known, known < 0 ? 0 : 1)[0] ?? (await startBrowser(kind, networks, authority))
  const { browser } = running
  // Firefox forgets all of a test with its context. Contexts of Chromium are private windows, which viewers seldom have.
  const context = kind.startsWith('firefox') ? await browser.createBrowserContext() : browser.defaultBrowserContext()
  return {
    browser,
    /** Opens a new tab, and collects its complaints from the start. */
    openPage: async () => openPage(await context.newPage()),
    async close() {
      if (!isPlain || !(await isEmptied(browser))) return running.end()
      idle.push(running)
      if (idle.length > MOST_IDLE) await idle.shift()?.end()
    },
  }
}

type RunningBrowser = Awaited<ReturnType<typeof startBrowser>>

async function startBrowser(kind: BrowserKind, networks?: Networks, authority?: string) {
  const profile = await mkdtemp(join(tmpdir(), `${kind}-`))
  // Puppeteer ends the browsers that are left with the worker.
  const remove = () => rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  process.once('exit', remove)
  try {
    if (authority !== undefined) await trust(authority, profile)
    const browser = await (kind.startsWith('firefox')
      ? startFirefox(kind, profile, networks)
      : startChromium(kind, profile, networks))
    return {
      kind,
      browser,
      async end() {
        await browser.close()
        process.off('exit', remove)
        await removeProfile(profile)
      },
    }
  } catch (cause) {
    await removeProfile(profile)
    throw new Error(`${kind} did not start`, { cause })
  }
}

/** Removes all that a test left in its browser. False if the browser failed or did not answer. */
async function isEmptied(browser: Browser): Promise<boolean> {
  try {
    const blank = await browser.newPage()
    for (const page of await browser.pages()) if (page !== blank) await page.close()
    for (const context of browser.browserContexts()) {
      if (context !== browser.defaultBrowserContext()) await context.close()
    }
    if (browser.process()?.spawnfile.includes('chromium')) {
      const session = await blank.createCDPSession()
      for (const command of ['Network.clearBrowserCookies', 'Network.clearBrowserCache'] as const)
        await session.send(command)
      await session.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' })
      await session.detach()
    }
    return true
  } catch {
    return false
  }
}

async function startChromium(kind: BrowserKind, profile: string, networks?: Networks): Promise<Browser> {
  if (kind !== 'chromium' || networks) {
    await mkdir(join(profile, 'Default'))
    const blocked = networks
      ? permissionsOf(networks)
      : kind === 'chromium-no-cookies'
        ? { cookies: 2 }
        : { javascript: 2 }
    const preferences = { profile: { default_content_setting_values: blocked } }
    await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences))
  }
  return puppeteer.launch({
    executablePath: '/usr/bin/chromium',
    env: { ...process.env, HOME: profile },
    defaultViewport: null,
    timeout: START_MS,
    protocolTimeout: COMMAND_MS,
    // Puppeteer's flags change features, but the tests need the browser that viewers have.
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
      ...(networks ? [`--ip-address-space-overrides=${overridesOf(networks)}`] : []),
      'about:blank',
    ],
  })
}

function startFirefox(kind: BrowserKind, profile: string, networks?: Networks): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    headless: true,
    env: { ...process.env, HOME: profile },
    defaultViewport: null,
    timeout: START_MS,
    protocolTimeout: COMMAND_MS,
    args: ['--profile', profile],
    // Puppeteer's profile weakens cookie rules and SameSite. These are the defaults of Firefox.
    extraPrefsFirefox: {
      'browser.contentblocking.features.standard': '',
      'network.cookie.cookieBehavior': kind === 'firefox-no-cookies' ? 2 : 5,
      'network.cookie.sameSite.laxByDefault': false,
      'javascript.enabled': kind !== 'firefox-no-scripts',
      ...(networks && firefoxNetworks(networks)),
    },
  })
}

/** Chromium reads the certificates of this database in its home folder. */
async function trust(authority: string, home: string): Promise<void> {
  const folder = join(home, '.pki', 'nssdb')
  const file = join(home, 'authority.pem')
  await mkdir(folder, { recursive: true })
  await writeFile(file, authority)
  const certutil = (...args: string[]) => promisify(execFile)('/usr/bin/certutil', [...args, '-d', `sql:${folder}`])
  await certutil('-N', '--empty-password')
  await certutil('-A', '-n', 'authority', '-t', 'C,,', '-i', file)
}

function overridesOf({ public: hosts, app, space }: Networks): string {
  return [...hosts.map((host) => `${host}=public`), `${app}=${space}`].join()
}

/** Firefox calls the space of this machine "local", and that of the network "private". */
function firefoxNetworks(networks: Networks): Record<string, string | number> {
  const permissions = Object.entries(permissionsOf(networks))
  return {
    'network.lna.address_space.public.override': networks.public.join(),
    [`network.lna.address_space.${networks.space === 'local' ? 'private' : 'local'}.override`]: networks.app,
    ...Object.fromEntries(
      permissions.map(([name, value]) => [`permissions.default.${name.replaceAll('_', '-')}`, value]),
    ),
  }
}

/** In both browsers, 1 allows and 2 denies. */
function permissionsOf({ isGranted }: Networks): Record<string, number> {
  const value = isGranted ? 1 : 2
  return { local_network_access: value, local_network: value, loopback_network: value }
}

async function removeProfile(profile: string): Promise<void> {
  // The last processes of a browser may still write to the profile after the main process has ended.
  await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
}
