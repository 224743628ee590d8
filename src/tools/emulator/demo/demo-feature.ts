import { styleText } from 'node:util'
import { randomKey } from '../seed/default-seed.ts'
import type { SeedAccount, SeededChannel } from '../seed/seed.ts'
import type { RunningEmulator } from '../start-emulator.ts'
import type { ProgramEnvironment } from './login-app.ts'

/** The demo when it runs. */
export interface StartedDemo {
  readonly emulator: RunningEmulator
  /** The origin of the customer's pages. */
  readonly pageOrigin: string
}

/** Settings that entry points of the demo share. */
export interface SharedSettings {
  readonly playerOrigins: readonly string[] | undefined
  readonly brand: object
  /** Those of a player that takes a hash. */
  readonly hash: object
}

/** A feature in the demo. A fork may delete it. */
export interface DemoFeature {
  /** Its position in the text of the demo. Small numbers come first. */
  readonly order: number
  /** Returns its settings at the entry point of the seeded locks. @param pageUrl address of a page with that player. */
  ofDefault?(pageUrl: string): object
  /** Its channel, with a lock that leads to its entry point. */
  readonly channel?: SeededChannel
  /** Its entry point, if it has one of its own here. */
  entryPoint?(emulator: RunningEmulator, shared: SharedSettings): object
  /** Returns settings of the app and of other programs. The command line of the demo gets them too. @param folder of the demo. */
  programSettings?(folder: string, emulator: RunningEmulator): Promise<Readonly<Record<string, string>>>
  /** Starts a program of its own beside the login app. @param environment all settings of the demo. */
  start?(environment: ProgramEnvironment): Promise<{ stop(): Promise<void> } | null>
  /** Other ways to sign in, for the home page of the emulator. Called after `start`. */
  accounts?(): readonly SeedAccount[]
  /** Says how to try it. */
  introduction?(demo: StartedDemo): readonly string[]
}

/**
 * Makes the locks of a feature anew at each start.
 * @param loginUrl address of the login app, without a slash at the end.
 */
export type MakeDemoFeature = (loginUrl: string) => DemoFeature | Promise<DemoFeature>

/** Makes a channel with a hash lock that leads to an entry point of its own. */
export function channelWithLock(
  loginUrl: string,
  { name, id, title }: { readonly name: string; readonly id: string; readonly title: string },
  settings: (emulator: RunningEmulator) => object,
): Required<Pick<DemoFeature, 'channel' | 'entryPoint'>> {
  const lock = { url: `${loginUrl}/e/${name}`, secret: randomKey() }
  return {
    channel: { id, title, lock },
    entryPoint: (emulator, { hash, brand }) => ({
      name,
      secret: lock.secret,
      ...hash,
      ...brand,
      ...settings(emulator),
    }),
  }
}

/** The origin of the customer's pages. To a browser, it is a third site besides the player and the login app. */
export function pageOriginOf({ port }: Pick<RunningEmulator, 'port'>): string {
  return `http://page.localhost:${port}`
}

/** Returns the line with the address of a channel's page. */
export function pageLine({ pageOrigin }: StartedDemo, channelId: string): string {
  return `  ${styleText(['bold', 'cyan'], `${pageOrigin}/channel/${channelId}`)}`
}
