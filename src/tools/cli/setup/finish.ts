import { readContextWords, readUserStore } from '../../../config.ts'
import { ConfigError } from '../../../errors.ts'
import { splitList } from '../../../settings/fields.ts'
import { userStores } from '../../../users/open-user-store.ts'
import { faultOf } from '../captured-run.ts'
import type { CommandContext, Outcome } from '../command.ts'
import { request } from '../doctor/request.ts'
import { withEditableStore } from '../settings/editable-store.ts'
import type { CommandIo } from '../terminal/io.ts'
import { readKnownPassword, readNewPassword } from '../terminal/read-password.ts'
import { printable, printableParagraphs } from '../terminal/text.ts'
import type { Values } from './env-file.ts'
import { startApp } from './start-app.ts'
import { isLoginApp } from './steps.ts'
import type { Trial } from './trial.ts'

const NEXT = '.env is written. Correct the cause, and run the command again.'
const CORRECT = 'Correct what the checks name, and run the command again. If the app runs, restart it first.'

interface Written {
  /** The names of the settings that changed. */
  readonly changed: readonly string[]
  /** The answers of a file. */
  readonly given: Values
  readonly isJson: boolean
}

/** After .env is written: adds the viewer, sets the lock, and runs the doctor on the app. */
export async function finish(
  { run }: CommandContext,
  trial: Trial,
  { changed, given, isJson }: Written,
): Promise<Outcome> {
  const { io, env, answers, signal } = trial
  const say = (text: string) => void io.stderr.write(`${printableParagraphs(text, io.stderr)}\n`)
  say(changed.length === 0 ? 'The settings in .env stay as they are.' : `Wrote .env: ${changed.join(', ')}.`)
  const viewer = await addViewer(trial, given, say)
  if (answers.CHANNEL) {
    const set = await trial.run(['lock', 'set', '--channel', answers.CHANNEL, '--yes'])
    if (set.status !== 0) throw new ConfigError(`${faultOf(set.stderr)}\n${NEXT}`)
    say(set.stdout.trim())
  }
  signal.throwIfAborted()
  const pages = splitList(answers.PAGES ?? '')
  const args = [
    'doctor',
    ...(answers.CHANNEL ? ['--channel', answers.CHANNEL, '--lock-unchanged'] : []),
    ...pages.flatMap((page) => ['--page', page]),
    ...(viewer ? ['--viewer', viewer.username] : []),
  ]
  const more = { VIEWER_PASSWORD: viewer?.password ?? '' }
  const { isRunning, result } = await withApp(trial, say, () =>
    isJson
      ? trial.run([...args, '--json'], more)
      : run(args, { ...io, env: { ...env, ...more } }).then((status) => ({ status, stdout: '' })),
  )
  const isPartial = result.status !== 0
  const steps = isPartial ? [CORRECT] : nextSteps(env, { isRunning, isChanged: changed.length > 0, pages, viewer })
  const doctor = result.stdout === '' ? {} : { doctor: JSON.parse(result.stdout) }
  return { ok: true, text: steps.join('\n'), data: { changed, ...doctor, next: steps }, isPartial }
}

interface TestViewer {
  readonly username: string
  readonly password: string
}

/** Adds the viewer if this app manages the viewers. @returns null if no sign-in can be tried. */
async function addViewer(
  { io, env, answers, run }: Trial,
  given: Values,
  say: (text: string) => void,
): Promise<TestViewer | null> {
  const username = answers.VIEWER
  if (!username) return null
  const withPassword: CommandIo = { ...io, env: { ...env, VIEWER_PASSWORD: given.VIEWER_PASSWORD } }
  const isNew = await isUnknown(withPassword, username)
  const read = isNew
    ? await readNewPassword(withPassword, username, readContextWords(env))
    : await readKnownPassword(withPassword, 'VIEWER_PASSWORD', username)
  if (!read.ok) throw new ConfigError(`${read.fault} ${NEXT}`)
  const { password } = read
  if (isNew) {
    const added = await run(['viewers', 'add', username], { VIEWER_PASSWORD: password })
    if (added.status !== 0) throw new ConfigError(`${faultOf(added.stderr)}\n${NEXT}`)
    say(added.stdout.trim())
  }
  return { username, password }
}

/** True if this app manages the viewers and does not have this one. */
async function isUnknown(io: CommandIo, username: string): Promise<boolean> {
  if (!userStores.isOwn(readUserStore(io.env))) return false
  let isKnown = false
  await withEditableStore(io, async (store) => {
    isKnown = (await store.show(username)).ok
    return { ok: true }
  })
  return !isKnown
}

/** Runs the work while the app answers at PUBLIC_URL. Starts the app for that time, if it does not run. */
async function withApp<T>({ env, signal }: Trial, say: (text: string) => void, work: () => Promise<T>) {
  const answer = await request(new URL('/health/live', env.PUBLIC_URL).href, signal)
  if (answer instanceof Response && (await isLoginApp(answer))) return { isRunning: true, result: await work() }
  say('Starting the app for the check …')
  const stop = await startApp(env, signal)
  try {
    return { isRunning: false, result: await work() }
  } finally {
    await stop()
  }
}

interface Done {
  readonly isRunning: boolean
  readonly isChanged: boolean
  readonly pages: readonly string[]
  readonly viewer: TestViewer | null
}

function nextSteps(env: CommandIo['env'], { isRunning, isChanged, pages, viewer }: Done): string[] {
  const start = isRunning
    ? isChanged
      ? 'Restart the app, which has the old settings.'
      : ''
    : 'Start the app: npm start'
  const [page = env.PUBLIC_URL ?? ''] = pages
  const as = viewer ? ` as ${printable(viewer.username)}` : ''
  const press = pages.length > 0 ? ', press "Log in"' : ''
  const trySignIn = viewer ? '' : 'No sign-in was tried: run the command again with a viewer.'
  return [trySignIn, start, `Then open ${page}${press} and sign in${as}.`].filter((step) => step !== '')
}
