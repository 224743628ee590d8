import { existsSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { type Config, readConfig } from '../../../config.ts'
import { isHashEntryPoint } from '../../../entry-points/entry-point.ts'
import type { LockTarget } from '../../video-service/locks.ts'
import { addExamples, addNotes, type CommandContext, type Outcome, runCommand } from '../command.ts'
import { contentId } from '../service/lock-target.ts'
import { pendingFile } from '../service/rotate/secret-files.ts'
import { entryPointNamed } from '../settings/chosen-entry-point.ts'
import { findingLine } from '../terminal/finding-line.ts'
import type { CommandIo } from '../terminal/io.ts'
import { type ReadPassword, readKnownPassword } from '../terminal/read-password.ts'
import type { SeenPlayer } from './answer-check.ts'
import { answerAt } from './answer-checks.ts'
import { checkApp } from './app/check-app.ts'
import { trySignIn } from './app/sign-in/sign-in.ts'
import { passwordViewer, type TestViewer, trialViewer } from './app/sign-in/test-viewer.ts'
import { isConsequence } from './consequences.ts'
import type { Untried } from './feature-check.ts'
import { FEATURE_CHECKS } from './feature-checks.ts'
import { type Finding, findingOf, ok, type Report, unknown, warning } from './finding.ts'
import { checkPages } from './page/check-page.ts'
import { pageAddress } from './page/page-address.ts'
import { checkService } from './service/check-service.ts'
import { asUnchanged } from './service/lock-secret.ts'
import { interruptedAtEnd, startTimeLimit } from './time-limit.ts'
import { verdictOn } from './verdict.ts'

type ReadFault = Extract<ReadPassword, { readonly ok: false }>

interface Options {
  readonly [trial: string]: unknown
  readonly json?: boolean
  readonly viewer?: string
  readonly entryPoint?: string
  readonly channel?: string
  readonly video?: string
  readonly page?: readonly URL[]
  readonly lockUnchanged?: boolean
  readonly strict?: boolean
  readonly verbose?: boolean
}

/** Forms that the test viewer may use in place of the password. */
const TRIALS = FEATURE_CHECKS.flatMap(({ trial }) => trial ?? [])

const OPTIONS = FEATURE_CHECKS.flatMap(({ option }) => option ?? [])

const ABOUT = `
The doctor calls the login app over its PUBLIC_URL, as a browser would, and the video service. It changes nothing, except
that the test viewer signs in and out, and that --mail-to sends a mail. The password of the test viewer comes from VIEWER_PASSWORD, a prompt or standard
input. The exit status is 1 after a failure. With --strict it is also 1 after a warning or an unknown result, which
cannot be seen from here. The doctor runs for 20 seconds at most.`

/** Adds `doctor`, which checks if viewers will get through. */
export function addDoctorCommand(command: Command, context: CommandContext): void {
  for (const { name, about } of TRIALS) command.option(`--${name}`, about)
  for (const { flags, about, fault } of OPTIONS) command.option(flags, about, valueWithout(fault))
  const withExamples = addExamples(command, [
    'viewer-auth doctor',
    'viewer-auth doctor --channel 1002 --viewer ada@example.com --page https://www.example.com/live',
  ])
  addNotes(withExamples, ABOUT)
    .option('--viewer <USERNAME>', 'try a sign-in with this viewer')
    .option(
      '--entry-point <NAME>',
      'where the test viewer signs in (default: the entry point of the lock, else the only one, or default)',
    )
    .option('--channel <ID>', 'check the lock of this channel', contentId)
    .option('--video <ID>', 'check the lock of this video', contentId)
    .option('--page <URL>', 'check this page, which embeds the player; repeatable', pageAddress)
    .option('--lock-unchanged', 'the lock of the channel was not changed elsewhere since lock set on this machine')
    .option('--verbose', 'show the successful checks too')
    .option('--strict', 'exit status 1 also after a warning or an unknown result')
    .action((options: Options, command: Command) => {
      if (options.channel !== undefined && options.video !== undefined) {
        command.error('error: give --channel or --video, not both')
      }
      const ways = ['viewer', ...TRIALS.map(({ name }) => name)].filter((name) => options[name] !== undefined)
      if (ways.length > 1) command.error(`error: give one of ${ways.map((name) => `--${name}`).join(' and ')}`)
      return runCommand(context, options.json, () => runChecks(context.io, options))
    })
}

/** Returns the parser of an option. */
function valueWithout(fault: (value: string) => string | null) {
  return (value: string): string => {
    const found = fault(value)
    if (found !== null) throw new InvalidArgumentError(found)
    return value
  }
}

async function runChecks(io: CommandIo, options: Options): Promise<Outcome> {
  const findings: Finding[] = []
  const report: Report = (given) => {
    const finding = options.lockUnchanged ? asUnchanged(given) : given
    if (isConsequence(finding, findings)) return
    findings.push(finding)
    if (options.json || (finding.state === 'ok' && !options.verbose)) return
    io.stdout.write(`${lineOf(finding, io)}\n`)
  }
  const config = readConfig(io.env)
  if (options.entryPoint !== undefined) entryPointNamed(config, options.entryPoint)
  report(ok('settings-complete', 'The settings of the login app are complete, and its secrets are long enough.'))
  for (const text of config.warnings) report(warning('setting-doubtful', text))
  for (const text of unfinishedChanges(config)) report(warning('secret-change-unfinished', text))
  const viewer = await readTestViewer(io, options)
  if (viewer !== null && 'fault' in viewer) return viewer
  const time = startTimeLimit(io)
  const stop = new AbortController()
  const release = io.onInterrupt(() => stop.abort())
  const signal = AbortSignal.any([stop.signal, time.signal])
  const work = checkAll(
    { io: interruptedAtEnd(io, time), config, options, viewer, signal, waitFor: time.waitFor },
    (finding) => {
      // Aborted checks would name the end of the time as a fault.
      if (!signal.aborted) report(finding)
    },
  )
  try {
    if ((await time.orNull(work.then(() => true))) === null) report(time.finding())
  } catch (error) {
    if (stop.signal.aborted) return { ok: false, fault: 'Stopped.' }
    if (!time.signal.aborted) throw error
    report(time.finding())
  } finally {
    work.catch(() => {})
    time.stop()
    release()
  }
  const { strict: isStrict = false, verbose: isVerbose = false } = options
  const { outcome, text } = verdictOn(findings, { isStrict, isVerbose, stdout: io.stdout })
  if (!options.json) io.stdout.write(`${text}\n`)
  return outcome
}

/** Reads the test viewer of the options. Null without one. */
async function readTestViewer(io: CommandIo, options: Options): Promise<TestViewer | null | ReadFault> {
  if (options.viewer !== undefined) {
    const read = await readKnownPassword(io, 'VIEWER_PASSWORD', options.viewer)
    return read.ok ? passwordViewer(options.viewer, read.password) : read
  }
  const trial = TRIALS.find(({ name }) => options[name] === true)
  if (trial === undefined) return null
  const read = await trial.read(io)
  return read.ok ? trialViewer(trial, read.password) : read
}

interface Run {
  readonly io: CommandIo
  readonly config: Config
  readonly options: Options
  readonly viewer: TestViewer | null
  readonly signal: AbortSignal
  /** Called before each group of checks. */
  waitFor(what: string): void
}

async function checkAll({ io, config, options, viewer, signal, waitFor }: Run, report: Report): Promise<void> {
  waitFor(`the login app at ${config.publicUrl.origin}`)
  const isAppThere = await reportAll(checkApp(io, config, signal), report)
  waitFor('the features')
  const untried = await reportFeatures({ config, options, signal }, isAppThere, report)
  waitFor('the video service')
  const lock = await checkService(io, config, { target: targetOf(options), isAppThere }, report)
  signal.throwIfAborted()
  const namedEntryPoint = options.entryPoint ?? lock.entryPoint
  reportUntried(config, untried, namedEntryPoint, report)
  waitFor('the pages of --page, their player, and the login app')
  const onPages = isAppThere
    ? await reportAll(checkPages(config, namedEntryPoint, options.page ?? [], signal, targetOf(options)), report)
    : []
  const players = distinct(lock.player === undefined ? onPages : [lock.player, ...onPages])
  if (lock.unseen && players.length === 0) report(lock.unseen)
  const entryPoint = namedEntryPoint ?? players[0]?.entryPoint.name
  if (isAppThere) reportUnseenPlayers(config, entryPoint, players, report)
  waitFor('the player and the login app')
  const listed = isAppThere ? await reportPlayers(config, players, signal, report) : []
  waitFor('the sign-in of the test viewer')
  await reportSignIn({ io, config, viewer, players: listed, isAppThere, signal }, entryPoint, report)
}

interface SignInTrial {
  readonly io: CommandIo
  readonly config: Config
  readonly viewer: TestViewer | null
  /** Those whose address is in the settings. */
  readonly players: readonly SeenPlayer[]
  readonly isAppThere: boolean
  readonly signal: AbortSignal
}

/** Reports the findings of all features. @returns what they did not try. */
async function reportFeatures(
  { config, options, signal }: Pick<Run, 'config' | 'options' | 'signal'>,
  isAppThere: boolean,
  report: Report,
): Promise<readonly Untried[]> {
  const untried: Untried[] = []
  for (const feature of FEATURE_CHECKS) {
    const given = feature.option && options[feature.option.name]
    const findings = feature.check?.(config, isAppThere, signal, typeof given === 'string' ? given : undefined)
    if (findings) untried.push(...(await reportAll(findings, report)))
  }
  return untried
}

/**
 * Reports what was not tried at the named entry point. Without a name, reports all entry points. As with passwords, the
 * verdict is about sign-ins at one entry point.
 */
function reportUntried(
  config: Config,
  untried: readonly Untried[],
  namedEntryPoint: string | undefined,
  report: Report,
): void {
  for (const { entryPoint, finding } of untried) {
    if (namedEntryPoint !== undefined && entryPoint.name !== namedEntryPoint) continue
    report(findingOf(config, entryPoint, finding))
  }
}

/** A page may show the player of the channel with other parameters. */
function distinct(players: readonly SeenPlayer[]): readonly SeenPlayer[] {
  const nameOfPlayer = (player: SeenPlayer) => `${player.entryPoint.name} ${player.shown}`
  return [...new Map(players.toReversed().map((player) => [nameOfPlayer(player), player])).values()].toReversed()
}

/** Reports that no player was seen, for the entry points that need one and that reportUntried() would choose. */
function reportUnseenPlayers(
  config: Config,
  namedEntryPoint: string | undefined,
  players: readonly SeenPlayer[],
  report: Report,
): void {
  for (const entryPoint of config.entryPoints) {
    const finding = answerAt(entryPoint)?.unseenPlayer
    const isSeen = players.some((player) => player.entryPoint === entryPoint)
    if (!finding || isSeen || (namedEntryPoint ?? entryPoint.name) !== entryPoint.name) continue
    report(findingOf(config, entryPoint, finding))
  }
}

/** @returns the players whose address is in the settings. */
async function reportPlayers(
  config: Config,
  players: readonly SeenPlayer[],
  signal: AbortSignal,
  report: Report,
): Promise<readonly SeenPlayer[]> {
  const listed: SeenPlayer[] = []
  for (const player of players) {
    const check = answerAt(player.entryPoint)?.checkPlayer(config, player, signal)
    if (check && (await reportAll(check, report))) listed.push(player)
  }
  return listed
}

/** Tries the sign-in of the test viewer, where the entry point has the form. */
async function reportSignIn(
  { io, config, viewer, players, isAppThere, signal }: SignInTrial,
  namedEntryPoint: string | undefined,
  report: Report,
): Promise<void> {
  if (viewer === null) {
    const possible = config.entryPoints.filter(({ name }) => (namedEntryPoint ?? name) === name)
    const hasPasswords = possible.some(({ hasPasswordForm }) => hasPasswordForm)
    const trial = TRIALS.find(({ isAt }) => possible.some(isAt))
    const hint = hasPasswords ? 'Name a test viewer with --viewer.' : trial && `Use --${trial.name}.`
    if (hint) report(unknown('no-sign-in', `No sign-in was tried. ${hint}`))
    return
  }
  if (!isAppThere) return
  const entryPoint = entryPointNamed(config, namedEntryPoint)
  const unused = viewer.unusedAt(entryPoint)
  if (unused !== null) return report(findingOf(config, entryPoint, unused))
  const player = players.find((one) => one.entryPoint === entryPoint) ?? null
  const signIn = trySignIn(io, { config, entryPoint, player, signal }, viewer)
  await reportAll(signIn, (finding) => report(findingOf(config, entryPoint, finding)))
}

/** Reports the findings as they come. @returns what the checks return. */
async function reportAll<Result>(checks: AsyncGenerator<Finding, Result>, report: Report): Promise<Result> {
  for (;;) {
    const next = await checks.next()
    if (next.done) return next.value
    report(next.value)
  }
}

/** Returns a sentence for each entry point whose secret is being changed: a lock may have a secret of its own. */
function unfinishedChanges({ entryPoints }: Config): string[] {
  return entryPoints.filter(isHashEntryPoint).flatMap(({ name, secretFiles }) => {
    const file = secretFiles && pendingFile(secretFiles)
    if (file === null || !existsSync(file)) return []
    return [
      `The change of the secret of the entry point ${name} is not finished: ${file} exists. Run the same lock set --rotate command again.`,
    ]
  })
}

function targetOf({ channel, video }: Options): LockTarget | null {
  if (channel !== undefined) return { kind: 'channel', id: channel }
  return video === undefined ? null : { kind: 'video', id: video }
}

function lineOf({ state, text, entryPoint }: Finding, { stdout }: CommandIo): string {
  return findingLine(state, entryPoint === undefined ? text : `Entry point ${entryPoint}: ${text}`, stdout)
}
