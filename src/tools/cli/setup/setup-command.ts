import type { Command } from 'commander'
import { ConfigError } from '../../../errors.ts'
import { newSecret } from '../settings/secret-command.ts'
import { addExamples, addNotes, type CommandContext, messageOf, type Outcome, runCommand } from '../terminal/command.ts'
import { stopOnInterrupt } from '../terminal/io.ts'
import { answersOfFile, askAtTerminal, Cancelled } from './ask.ts'
import { readEnvFile, readValues, type Values, writeNextEnvFile } from './env-file.ts'
import { checkWhole, readViewer, setLock } from './finish.ts'
import { QUESTION_NAMES } from './steps.ts'
import { knownSettings, mistakesIn, type SetupParts, settingOf, type Trial } from './trial.ts'
import { startTrial, tryOut } from './try-out.ts'

const GENERATED: readonly string[] = ['HASH_SECRET', 'SESSION_SECRET']

const NOT_CHANGED = 'Nothing was changed.'
/** Settings with which this app has no hash, or several. This command sets up one entry point with the hash. */
// biome-ignore format: one item a line
const OTHER_WAYS: readonly string[] = [
  'ENTRY_POINTS_FILE',
  'VIEWER_AUTH',
]

const ABOUT = `
Asks at most ten questions, tests each answer at once, and writes .env, which only you can read. Makes the secrets that
are missing, sets the lock of the channel, writes .env, adds the viewer, starts the app for a moment if it is not running,
and runs doctor. Before the lock is set, nothing is changed, but a missing
table of viewers is created. Run again, it changes only the answers that differ. A file of answers
has the form of .env: the names of settings, and ${QUESTION_NAMES.join(', ')} and VIEWER_PASSWORD.`

interface Options {
  readonly json?: boolean
  readonly answers?: string
}

/** Adds `setup`, which leads from nothing to viewers who get through. */
export function addSetupCommand(command: Command, context: CommandContext<SetupParts>): void {
  const withExamples = addExamples(command, ['npm run setup', 'npm run setup -- --answers answers.env'])
  addNotes(withExamples, ABOUT)
    .option('--answers <FILE>', 'take the answers from this file instead of asking')
    .action((options: Options) => runCommand(context, options.json, () => setUp(context, options)))
}

async function setUp(context: CommandContext<SetupParts>, options: Options): Promise<Outcome> {
  const { io } = context
  if (options.answers === undefined && !io.stdin.isTTY) {
    return { ok: false, fault: `Cannot ask without a terminal. ${NOT_CHANGED} Use --answers FILE.` }
  }
  const given = options.answers === undefined ? {} : readValues(options.answers)
  const text = readEnvFile()
  using stop = stopOnInterrupt(io)
  let state = NOT_CHANGED
  try {
    const trial = startTrial(context, text, settingsAmong(given), stop.signal)
    const other = OTHER_WAYS.find((name) => trial.env[name] && trial.env[name] !== 'hash')
    if (other !== undefined) {
      return { ok: false, fault: `${other} is set: change .env by hand, then run config check. ${NOT_CHANGED}` }
    }
    const answers = options.answers === undefined ? askAtTerminal(io) : answersOfFile(given)
    const fault = await tryOut(trial, answers)
    if (fault !== null) return { ok: false, fault }
    trial.changes = withSecrets(trial)
    const viewer = await readViewer(trial, given)
    await using next = await writeNextEnvFile(text, trial.changes)
    stop.signal.throwIfAborted()
    state = '.env is unchanged.'
    await setLock(trial, answers)
    // No stop in between: a new secret is in the lock and not yet in .env.
    await next.save()
    state = '.env is written.'
    return await checkWhole(trial, next.changed, viewer, options.json === true)
  } catch (error) {
    const isStopped = error instanceof Cancelled || stop.signal.aborted
    const fault = isStopped ? `Stopped. ${state} Run` : `${messageOf(error)}\n${state} Correct the cause, and run`
    return { ok: false, fault: `${fault} the command again.` }
  }
}

/** Returns the settings of a file of answers. @throws ConfigError for a name that is neither a setting nor a question. */
function settingsAmong(given: Values): Trial['changes'] {
  const settings = knownSettings()
  const answers = [...QUESTION_NAMES, 'VIEWER_PASSWORD']
  const unknown = Object.keys(given).filter((name) => !settings.includes(name) && !answers.includes(name))
  if (unknown.length > 0) {
    throw new ConfigError(`The file of answers has unknown names: ${unknown.join(', ')}. Correct or remove them.`)
  }
  return Object.fromEntries(Object.entries(given).filter(([name]) => settings.includes(name)))
}

/**
 * Returns the changes with a new value for each secret that is missing. A secret that is there stays.
 * @throws ConfigError that lists what is still wrong.
 */
function withSecrets(trial: Pick<Trial, 'env' | 'changes'>): Values {
  const isMissing = (name: string) => !trial.env[name] && !trial.env[`${name}_FILE`]
  const wanted = mistakesIn(trial.env)
    .map(settingOf)
    .filter((name) => GENERATED.includes(name) && isMissing(name))
  const secrets = Object.fromEntries(wanted.map((name) => [name, newSecret()]))
  const left = mistakesIn({ ...trial.env, ...secrets })
  if (left.length > 0) throw new ConfigError(left.join('\n  '))
  return { ...trial.changes, ...secrets }
}
