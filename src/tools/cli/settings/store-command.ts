import type { Command } from 'commander'
import { readUserStore } from '../../../config.ts'
import { userStores } from '../../../users/open-user-store.ts'
import type { StoreChecks, StoreFinding } from '../../../users/store-check/store-check.ts'
import { addCommand, addNotes, type CommandContext, runCommand } from '../terminal/command.ts'
import { findingLine } from '../terminal/finding-line.ts'
import type { CommandIo } from '../terminal/io.ts'
import { type Lazy, loadAll } from '../terminal/lazy.ts'
import { readKnownPassword } from '../terminal/read-password.ts'
import { checkNames, checkUserStoreOf, storeChecks } from './check-store.ts'

/** A store besides the user store. It is checked only without a URL, which names a user store. */
export interface OtherStore {
  /** The end of a sentence in the help. */
  readonly about: string
  check(env: CommandIo['env'], checks: StoreChecks): AsyncIterable<StoreFinding>
}

/** The part of a feature that `store check` uses. */
export interface HasOtherStore {
  readonly store?: Lazy<OtherStore>
}

interface Options {
  readonly json?: boolean
  readonly viewer?: string
  readonly disabled?: string
  /** False for --no-password. */
  readonly password: boolean
}

const ABOUT = `
Asks the user store as the app does, and says which promise it breaks. Without a URL, checks the store of USER_STORE_URL.
The other settings of the store come from the environment or .env. The password of the test viewers comes from
VIEWER_PASSWORD, a prompt or standard input. The test viewer fails two sign-ins, and the last one succeeds. Changes no
viewer. The exit status is 1 if a promise is broken.`

/** Adds `store check`. */
export async function addStoreCommands(group: Command, context: CommandContext<HasOtherStore>): Promise<void> {
  const others = await loadAll(context.features.map(({ store }) => store))
  const command = addCommand(group, 'check [URL]', 'check that a user store answers as the app needs', [
    'viewer-auth store check https://users.example.com/sign-in',
    'viewer-auth store check https://users.example.com/sign-in --viewer ada@example.com --disabled gone@example.com',
    'viewer-auth store check --viewer ada@example.com --no-password',
  ])
  addNotes(command, [ABOUT, ...others.map(({ about }) => `Without a URL, ${about}`)].join('\n'))
    .option('--viewer <USERNAME>', 'try sign-ins and a look-up with this viewer')
    .option('--disabled <USERNAME>', 'a disabled viewer with the same password, who must be refused')
    .option('--no-password', 'only look the viewers up, without a sign-in')
    .action((url: string | undefined, options: Options, command: Command) => {
      if (url !== undefined && URL.canParse(url) && new URL(url).password !== '') {
        command.error('error: the URL must not contain a password; set USER_STORE_URL instead')
      }
      return runCommand(context, options.json, () => checkUserStore(context, options, url))
    })
}

/**
 * Checks the user store, and prints the findings unless they are for JSON.
 * @param url of a user store. Undefined for the stores of the settings.
 * @returns the findings, or why there are none.
 */
export async function checkUserStore(
  { io, features }: Pick<CommandContext<HasOtherStore>, 'io' | 'features'>,
  options: Options,
  url?: string,
) {
  const { viewer: username = null, disabled = null } = options
  const settings = readUserStore(
    url === undefined ? io.env : { ...io.env, USER_STORE_URL: url, USER_STORE_URL_FILE: '' },
  )
  let password: string | null = null
  const owner = username ?? disabled
  if (owner !== null && options.password) {
    const read = await readKnownPassword(io, 'VIEWER_PASSWORD', owner)
    if (!read.ok) return read
    password = read.text
  }
  const findings: StoreFinding[] = []
  const otherStores = url === undefined ? await loadAll(features.map(({ store }) => store)) : []
  const others = otherStores.map((other) => other.check(io.env, storeChecks))
  const ofViewers = [checkUserStoreOf(settings, { username, password, disabled }), checkNames(settings, findings)]
  for (const checks of [...ofViewers, ...others]) {
    for await (const finding of checks) {
      // In a table of this app, each unknown name gets the hash of a viewer. After an import these differ in their times.
      if (finding.code === 'same-time' && userStores.isOwn(settings)) continue
      findings.push(finding)
      if (!options.json) io.stdout.write(`${findingLine(finding.state, finding.text, io.stdout)}\n`)
    }
  }
  const failures = findings.filter(({ state }) => state === 'failure').length
  const warnings = findings.filter(({ state }) => state === 'warning').length
  const text =
    failures === 0 ? 'No promise is broken.' : `${failures === 1 ? '1 promise is' : `${failures} promises are`} broken.`
  return { ok: true, text, data: { findings, failures, warnings }, isPartial: failures > 0 } as const
}
