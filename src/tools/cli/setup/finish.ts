import { existsSync } from 'node:fs'
import { readContextWords, readUserStore } from '../../../config.ts'
import { ConfigError } from '../../../errors.ts'
import { splitList } from '../../../settings/fields.ts'
import { userStores } from '../../../users/open-user-store.ts'
import { faultInNewPassword } from '../../../users/passwords/new-password.ts'
import { runDoctor } from '../doctor/doctor-command.ts'
import { pageAddress } from '../doctor/page/load-page.ts'
import { request } from '../doctor/request.ts'
import type { Verdict } from '../doctor/verdict.ts'
import { wantedLock } from '../service/expected-lock.ts'
import { withService } from '../service/service.ts'
import { setAndReadBack } from '../service/set-lock.ts'
import { withEditableStore } from '../settings/editable-store.ts'
import { hasServiceSettings } from '../settings/video-service/read-service-settings.ts'
import { type Outcome, outcomeOf, printFailure, type Refused } from '../terminal/command.ts'
import type { CommandIo } from '../terminal/io.ts'
import { readKnownPassword, readNewPassword } from '../terminal/read-password.ts'
import { printable, printableParagraphs } from '../terminal/text.ts'
import { type Answers, Cancelled } from './ask.ts'
import type { Values } from './env-file.ts'
import { startApp } from './start-app.ts'
import { CHANNEL_STEP, isLoginApp } from './steps.ts'
import { quietly, type Trial } from './trial.ts'
import { tryOut } from './try-out.ts'

const CORRECT = 'Correct what the checks name, and run the command again. If the app runs, restart it first.'
const START = 'Start the app: npm start'
const RESTART = 'Restart the app, which has the old settings.'
const SET_BY_HAND = 'The lock was not set: set it at the video service, with PUBLIC_URL and HASH_SECRET of .env.'
const PROVE =
  'Do what each line "unknown" says, and run the command again. Without that, it is not proven that viewers get through.'

/**
 * Sets the lock of the channel to the address and secret of the app. Asks for the channel again after a fault, if possible.
 * @throws ConfigError if the lock is not set.
 */
export async function setLock(trial: Trial, answers: Answers): Promise<void> {
  while (trial.answers.CHANNEL) {
    const target = { kind: 'channel', id: trial.answers.CHANNEL } as const
    const { io } = quietly(trial)
    const set = await outcomeOf(() => {
      const wanted = wantedLock(trial.env, {})
      return withService(io, (service) => setAndReadBack(io, service, target, wanted, {}, true), null)
    })
    say(trial, set.ok ? (set.text ?? '') : set.fault)
    if (set.ok) return
    if (!answers.canRepeat) throw new ConfigError(`The lock of channel ${target.id} was not set.`)
    await tryOut(trial, answers, [CHANNEL_STEP])
  }
}

/** After .env is written: adds the viewer, and runs the doctor on the app. @param changed the names of the settings. */
export async function checkWhole(
  trial: Trial,
  changed: readonly string[],
  viewer: TestViewer | null,
  isJson: boolean,
): Promise<Outcome> {
  say(trial, changed.length === 0 ? 'The settings in .env stay as they are.' : `Wrote .env: ${changed.join(', ')}.`)
  if (viewer?.isNew) await addViewer(trial, viewer)
  trial.signal.throwIfAborted()
  const { isRunning, result } = await withApp(trial, () => examine(trial, viewer, isJson))
  if (!result.ok && !isJson) printFailure(trial.io, false, result.fault)
  const isPartial = !result.ok || result.isPartial
  const start = !isRunning ? START : changed.length > 0 ? RESTART : null
  const next = isPartial ? [CORRECT] : result.data.unknowns > 0 ? toProve(trial) : [start, toOpen(trial, viewer)]
  const steps = next.filter((step) => step !== null)
  const doctor = isJson && result.ok ? { doctor: result.data } : {}
  return { ok: true, text: steps.join('\n'), data: { changed, ...doctor, next: steps }, isPartial }
}

/** Says what is missing for a proof that viewers get through. */
function toProve({ env }: Trial): string[] {
  return hasServiceSettings(env) ? [PROVE] : [SET_BY_HAND, PROVE]
}

function toOpen({ env, answers }: Trial, viewer: TestViewer | null): string {
  const [page] = splitList(answers.PAGES ?? '')
  const as = viewer ? ` as ${printable(viewer.username)}` : ''
  return `Then open ${page ?? env.PUBLIC_URL}${page ? ', press "Log in"' : ''} and sign in${as}.`
}

function say({ io }: Trial, text: string): void {
  io.stderr.write(`${printableParagraphs(text, io.stderr)}\n`)
}

/** Runs the doctor. Prints its findings, unless they are for JSON. */
async function examine(
  { io, env, answers, features }: Trial,
  viewer: TestViewer | null,
  isJson: boolean,
): Promise<Verdict | Refused> {
  const own = { ...io, env: { ...env, VIEWER_PASSWORD: viewer?.password ?? '' } }
  return await outcomeOf(() =>
    runDoctor(
      { io: own, features },
      {
        json: isJson,
        ...(answers.CHANNEL && { channel: answers.CHANNEL }),
        page: splitList(answers.PAGES ?? '').flatMap((page) => pageAddress(page)),
        ...(viewer && { viewer: viewer.username }),
      },
    ),
  )
}

/** `isNew`: this app manages the viewers, and does not have this one. */
type TestViewer = NonNullable<Awaited<ReturnType<typeof readViewer>>>

/** Reads the password of the viewer. @returns null if no sign-in can be tried. */
export async function readViewer({ io, env, answers }: Trial, given: Values) {
  const username = answers.VIEWER
  if (!username) return null
  const withPassword: CommandIo = { ...io, env: { ...env, VIEWER_PASSWORD: given.VIEWER_PASSWORD } }
  const isNew = await isUnknown(withPassword, username)
  const contextWords = readContextWords(env)
  const read = isNew
    ? await readNewPassword(withPassword, username, contextWords)
    : await readKnownPassword(withPassword, 'VIEWER_PASSWORD', username)
  if (!read.ok) throw io.stdin.isTTY ? new Cancelled() : new ConfigError(read.fault)
  const fault = isNew ? await faultInNewPassword(read.text, username, contextWords) : null
  if (fault !== null) throw new ConfigError(fault)
  return { username, password: read.text, isNew }
}

async function addViewer(trial: Trial, { username, password }: TestViewer): Promise<void> {
  const viewer = { username, groups: [], attributes: {} }
  const added = await withEditableStore(trial, (store) => store.add(viewer, password))
  if (!added.ok) throw new ConfigError(added.fault)
  say(trial, `Added ${printable(added.viewer.username)}.`)
}

async function isUnknown(io: CommandIo, username: string): Promise<boolean> {
  if (!userStores.isOwn(readUserStore(io.env))) return false
  const file = userStores.fileOf(io.env.USER_STORE_URL || undefined)
  // The first viewer creates the file.
  if (file !== null && !existsSync(file)) return true
  return await withEditableStore(io, async (store) => !(await store.show(username)).ok)
}

/** Runs the work while the app answers at PUBLIC_URL. Starts the app for that time, if it does not run. */
async function withApp<T>(trial: Trial, work: () => Promise<T>) {
  const { env, signal } = trial
  const answer = await request(new URL('/health/live', env.PUBLIC_URL).href, signal)
  if (answer instanceof Response && (await isLoginApp(answer))) return { isRunning: true, result: await work() }
  say(trial, 'Starting the app for the check …')
  const stop = await startApp(env, signal)
  try {
    return { isRunning: false, result: await work() }
  } finally {
    await stop()
  }
}
