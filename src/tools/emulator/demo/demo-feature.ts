import { randomKey } from '../seed/secrets.ts'
import type { SeededChannel } from '../seed/seed.ts'
import type { RunningEmulator } from '../start-emulator.ts'
import type { ProgramEnvironment } from './login-app.ts'

/** Something to try in the demo. The home page of the emulated service shows it. */
export interface DemoHint {
  readonly title: string
  /** Says what to do. */
  readonly text: string
  /** The address of the page to open. */
  readonly page?: string
  /** What to type there, such as a code, or a user name and its password. */
  readonly typed?: readonly string[]
  /** Lines for a terminal with the settings of the demo: commands, and comments that begin with `#`. */
  readonly commands?: readonly string[]
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
  /** Its position on the home page. Small numbers come first. */
  readonly order: number
  /** Returns its settings at the entry point of the seeded locks. @param pageUrl address of a page with that player. */
  ofDefault?(pageUrl: string): object
  /** Its channel, with a lock that leads to its entry point. */
  readonly channel?: SeededChannel
  /** Its entry point, if it has one of its own here. */
  entryPoint?(emulator: RunningEmulator, shared: SharedSettings): object
  /** Returns settings of the app and of other programs. The command line of the demo gets them too. @param folder of the demo. */
  programSettings?(folder: string, emulator: RunningEmulator): Promise<Readonly<Record<string, string>>>
  /** True if viewers get their mails. */
  sendsMails?(emulator: RunningEmulator): boolean
  /** Starts a program of its own beside the login app. @param environment all settings of the demo. */
  start?(environment: ProgramEnvironment, sendsMails: boolean): Promise<{ stop(): Promise<void> } | null>
  /** Returns lines for the terminal. Called after `start`. */
  introduction?(emulator: RunningEmulator): readonly string[]
  /** Says how to try it. Called after `start`. */
  hint?(emulator: RunningEmulator): DemoHint
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

/** Returns the customer's page with a channel. To a browser, it is a third site besides the player and the login app. */
export function channelPage({ port }: Pick<RunningEmulator, 'port'>, channelId: string | undefined): string {
  return `http://page.localhost:${port}/channel/${channelId}`
}
