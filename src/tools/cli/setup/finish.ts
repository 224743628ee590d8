import { readContextWords, readUserStore } from '../../../config.ts'
import { ConfigError } from '../../../errors.ts'
import { splitList } from '../../../settings/fields.ts'
import { userStores } from '../../../users/open-user-store.ts'
import { runDoctor } from '../doctor/doctor-command.ts'
import { pageAddress } from '../doctor/page/load-page.ts'
import { request } from '../doctor/request.ts'
import { wantedLock } from '../service/expected-lock.ts'
import { withService } from '../service/service.ts'
import { setAndReadBack } from '../service/set-lock.ts'
import { withEditableStore } from '../settings/editable-store.ts'
import { type Outcome, outcomeOf, printFailure } from '../terminal/command.ts'
import type { CommandIo } from '../terminal/io.ts'
import { readKnownPassword, readNewPassword } from '../terminal/read-password.ts'
import { printable, printableParagraphs } from '../terminal/text.ts'
import type { Values } from './env-file.ts'
import { startApp } from './start-app.ts'
import { isLoginApp } from './steps.ts'
import { quietly, type Trial } from './trial.ts'

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
export async function finish(trial: Trial, { changed, given, isJson }: Written): Promise<Outcome> {
  const { io, env, answers, signal } = trial
  const say = (text: string) => void io.stderr.write(`${printableParagraphs(text, io.stderr)}\n`)
  say(changed.length === 0 ? 'The settings in .env stay as they are.' : `Wrote .env: ${changed.join(', ')}.`)
  const viewer = await addViewer(trial, given, say)
  if (answers.CHANNEL) {
    const set = await setLock(trial, answers.CHANNEL)
    if (!set.ok || set.isPartial) throw new ConfigError(`${set.ok ? set.text : set.fault}\n${NEXT}`)
    say(set.text ?? '')
  }
  signal.throwIfAborted()
  const pages = splitList(answers.PAGES ?? '')
  const { isRunning, result } = await withApp(trial, say, () => examine(trial, pages, viewer, isJson))
  if (!result.ok && !isJson) printFailure(io, false, result.fault)
  const isPartial = !result.ok || result.isPartial === true
  const steps = isPartial ? [CORRECT] : nextSteps(env, { isRunning, isChanged: changed.length > 0, pages, viewer })
  const doctor = isJson && result.ok ? { doctor: result.data } : {}
  return { ok: true, text: steps.join('\n'), data: { changed, ...doctor, next: steps }, isPartial }
}

/** Sets the lock of the channel to the address and secret of the app. */
async function setLock(trial: Trial, channel: string): Promise<Outcome> {
  const { io } = quietly(trial)
  return await outcomeOf(() => {
    const wanted = wantedLock(trial.env, {})
    const target = { kind: 'channel', id: channel } as const
    return withService(io, (service) => setAndReadBack(io, service, target, wanted, {}, true), null)
  })
}

/** Runs the doctor. Prints its findings, unless they are for JSON. */
async function examine(
  { io, env, answers, features }: Trial,
  pages: readonly string[],
  viewer: TestViewer | null,
  isJson: boolean,
): Promise<Outcome> {
  const own = { ...io, env: { ...env, VIEWER_PASSWORD: viewer?.password ?? '' } }
  return await outcomeOf(() =>
    runDoctor(
      { io: own, features },
      {
        json: isJson,
        ...(answers.CHANNEL && { channel: answers.CHANNEL, lockUnchanged: true }),
        page: pages.flatMap((page) => pageAddress(page)),
        ...(viewer && { viewer: viewer.username }),
      },
    ),
  )
}

interface TestViewer {
  readonly username: string
  readonly password: string
}

/** Adds the viewer if this app manages the viewers. @returns null if no sign-in can be tried. */
async function addViewer(
  { io, env, answers }: Trial,
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
    const viewer = { username, groups: [], attributes: {} }
    const added = await outcomeOf(() => withEditableStore({ env }, (store) => store.add(viewer, password)))
    if (!added.ok) throw new ConfigError(`${added.fault}\n${NEXT}`)
    say(`Added ${printable(added.viewer.username)}.`)
  }
  return { username, password }
}

/** True if this app manages the viewers and does not have this one. */
async function isUnknown(io: CommandIo, username: string): Promise<boolean> {
  if (!userStores.isOwn(readUserStore(io.env))) return false
  return await withEditableStore(io, async (store) => !(await store.show(username)).ok)
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
