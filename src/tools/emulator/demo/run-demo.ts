import { chmodSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { linesOf, type ProgramSettings } from '../developer/program-settings.ts'
import { loadParts } from '../load-parts.ts'
import { COMPANIONS } from '../running-companions.ts'
import type { DemoSettings } from '../settings.ts'
import { type RunningEmulator, startEmulator } from '../start-emulator.ts'
import type { DemoFeature, DemoHint, MakeDemoFeature } from './demo-feature.ts'
import { type DemoSecrets, loadSecrets, prepareViewers } from './demo-secrets.ts'
import { pageUrlOf, writeEntryPoints } from './entry-points.ts'
import { generalHints } from './general-hints.ts'
import { freePort, type ProgramEnvironment, startLoginApp } from './login-app.ts'

/** The demo must not be reachable from outside, and stops at once. */
const LISTENING = { HOST: '127.0.0.1', SHUTDOWN_DELAY_SECONDS: '0' }

const GUIDE = fileURLToPath(new URL('views/guide.ejs', import.meta.url))

export type RunningDemo = Awaited<ReturnType<typeof runDemo>>

/**
 * Starts the login app and the emulated service on loopback, with settings that fit together.
 * @param inherited variables that every program needs, such as PATH.
 * @throws EmulatorStartError with a sentence for the terminal.
 */
export async function runDemo(settings: DemoSettings, inherited: ProgramEnvironment) {
  const loginPort = await freePort(settings.DEMO_PORT, 'DEMO_PORT')
  const servicePort = await freePort(settings.EMULATOR_PORT, 'EMULATOR_PORT')
  const folder = resolve(settings.DEMO_DATA_FOLDER)
  const secrets = loadSecrets(folder)
  const loginUrl = `http://localhost:${loginPort}`
  const viewersFile = join(folder, 'viewers.db')
  // The commands run in other processes, while the emulator generates its views.
  const viewersReady = prepareViewers(secrets, viewersFile, inherited)
  viewersReady.catch(() => {})
  const makers = await loadParts<MakeDemoFeature>(import.meta.url, 'demo')
  const made = await Promise.all(makers.map((make) => make(loginUrl)))
  const features = made.sort((one, other) => one.order - other.order)
  const hints: DemoHint[] = []
  const emulator = await startService(servicePort, settings, { folder, loginUrl, features, secrets, hints })
  const logFile = join(folder, 'login-app.log')
  const settingsFile = join(folder, 'settings.env')
  try {
    await viewersReady
    const lifetimeSeconds = Number(settings.HASH_LIFETIME_SECONDS)
    const ofPrograms = await Promise.all(features.map((feature) => feature.programSettings?.(folder, emulator) ?? {}))
    const environment = {
      PUBLIC_URL: loginUrl,
      PORT: String(loginPort),
      SESSION_SECRET: secrets.sessionSecret,
      USER_STORE_URL: `sqlite:${viewersFile}`,
      SESSION_STORE_URL: `sqlite:${join(folder, 'sessions.db')}`,
      SECURITY_LOG_FILE: join(folder, 'security.log'),
      ...LISTENING,
      ...Object.assign({}, ...ofPrograms),
      ...writeEntryPoints(join(folder, 'entry-points.json'), emulator, secrets.hashSecret, features, lifetimeSeconds),
    }
    writeSettings(settingsFile, environment)
    const ofAll = { ...inherited, ...environment }
    const loginApp = await startLoginApp(ofAll, { port: loginPort, logFile })
    const sendsMails = features.some((feature) => feature.sendsMails?.(emulator))
    const programs = await Promise.all(features.map((feature) => feature.start?.(ofAll, sendsMails) ?? null))
    const pageUrl = pageUrlOf(emulator)
    const safariUrl = new URL(new URL(pageUrl).pathname, emulator.url).href
    hints.push(...features.flatMap((feature) => feature.hint?.(emulator) ?? []))
    hints.push(...generalHints(safariUrl, loginUrl, settingsFile))
    return {
      /** The customer's page with the locked channel. To a browser it is a third site, besides player and login app. */
      pageUrl,
      /** The same page for Safari, which does not find page.localhost. */
      safariUrl,
      serviceUrl: `${emulator.url}/`,
      /** The entry point with the brand of a customer, which the seeded locks use. */
      loginUrl: `${loginUrl}/`,
      viewers: secrets.viewers,
      introductions: features.flatMap((feature) => feature.introduction?.(emulator) ?? []),
      logFile,
      /** Resolves with the login app's message when the app ends by itself. */
      died: loginApp.died,
      async stop(): Promise<void> {
        await Promise.all([loginApp.stop(), emulator.close(), ...programs.map((program) => program?.stop())])
      },
    }
  } catch (error) {
    await emulator.close()
    throw error
  }
}

interface DemoParts {
  readonly folder: string
  readonly loginUrl: string
  readonly features: readonly DemoFeature[]
  readonly secrets: DemoSecrets
  /** For the home page. They come when all programs run. */
  readonly hints: readonly DemoHint[]
}

/** Starts the emulated service, with its companions if their packages are installed. */
function startService(port: number, settings: DemoSettings, parts: DemoParts): Promise<RunningEmulator> {
  const { folder, loginUrl, secrets, features, hints } = parts
  const lock = { url: `${loginUrl}/`, secret: secrets.hashSecret }
  const channels = features.flatMap(({ channel }) => channel ?? [])
  const installed = COMPANIONS.filter((companion) => companion.isInstalled())
  const ports = Object.fromEntries(installed.map(({ name }) => [name, settings.companionPorts[name] ?? 0]))
  return startEmulator({
    port,
    dataFile: join(folder, 'emulator.db'),
    seed: { lock, channels, viewers: secrets.viewers, demoWeeks: true },
    guide: { view: GUIDE, data: { hints } },
    companions: { ports, loginUrl },
  })
}

/** Writes a file that only this user may read, because it holds secrets. */
function writeSettings(file: string, settings: ProgramSettings): void {
  writeFileSync(file, linesOf(settings), { mode: 0o600 })
  chmodSync(file, 0o600)
}
