import { existsSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { type Config, readConfig } from '../../../config.ts'
import { isHashEntryPoint } from '../../../entry-points/entry-point.ts'
import { contentId } from '../service/lock-target.ts'
import { pendingFile } from '../service/rotate/secret-files.ts'
import { entryPointNamed } from '../settings/chosen-entry-point.ts'
import { addExamples, addNotes, type CommandContext, type Refused, runCommand } from '../terminal/command.ts'
import { findingLine } from '../terminal/finding-line.ts'
import { type CommandIo, stopOnInterrupt } from '../terminal/io.ts'
import { readKnownPassword } from '../terminal/read-password.ts'
import { passwordViewer, type TestViewer, trialViewer } from './app/sign-in/test-viewer.ts'
import { type CheckOptions, checkAll, targetOf } from './check-all.ts'
import { type DoctorConfig, type FeatureChecks, type HasChecks, loadChecks, type SignInTrial } from './feature-check.ts'
import { type Finding, ok, type Report, warning } from './finding.ts'
import { pageAddress } from './page/load-page.ts'
import { withoutSecret } from './service/lock-secret.ts'
import { waitForView } from './service/wait-for-view.ts'
import { interruptedBy, startTimeLimit } from './time-limit.ts'
import { type Verdict, verdictOn } from './verdict.ts'

/** Consequences besides those of an answer: the code of a finding, and the codes of its causes. */
const CONSEQUENCES: Readonly<Record<string, readonly string[]>> = {
  'player-frame-src': ['page-other-content'],
  'page-other-content': ['channel-unknown', 'not-owner', 'no-own-lock'],
  // The check of the app named the store already.
  'store-opens': ['store-opens'],
  'store-reachable': ['store-reachable'],
  'slow-answers': ['slow-answers'],
  'return-refused': ['copies-differ', 'screen-cached'],
  'not-the-app': ['not-the-app'],
}

const DAY_SECONDS = 86_400

export interface DoctorOptions extends CheckOptions {
  readonly json?: boolean
  readonly viewer?: string
  /** The viewer to wait for, as the analytics name the viewer. */
  readonly watch?: string
  readonly strict?: boolean
  readonly verbose?: boolean
}

const ABOUT = `
The doctor calls the login app over its PUBLIC_URL, as a browser would, and the video service. It changes nothing, except
that the test viewer signs in and out, and that --mail-to sends mails. The password of the test viewer comes from
VIEWER_PASSWORD, a prompt or standard input. The exit status is 1 after a failure. With --strict it is also 1 after a
warning or an unknown result, which cannot be seen from here. The doctor runs for 20 seconds at most, and with --watch for
five minutes more.`

/** Adds `doctor`, which checks if viewers will get through. */
export async function addDoctorCommand(command: Command, context: CommandContext<HasChecks>): Promise<void> {
  const checks = await loadChecks(context.features)
  const trials = checks.featureChecks.flatMap(({ trial }) => trial ?? [])
  const ownOptions = checks.featureChecks.flatMap(({ option }) => option ?? [])
  for (const { name, about } of trials) command.option(`--${name}`, about)
  for (const { flags, about, fault } of ownOptions) command.option(flags, about, valueWithout(fault))
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
    .option(
      '--copy <URL>',
      'compare the clock of this copy of the app, such as http://10.0.0.5:3000; repeatable',
      pageAddress,
    )
    .option('--watch <VIEWER>', 'at the end, wait until this viewer watches: proves the secret of the lock')
    .option('--verbose', 'show the successful checks too')
    .option('--strict', 'exit status 1 also after a warning or an unknown result')
    .action((options: DoctorOptions, command: Command) => {
      if (options.channel !== undefined && options.video !== undefined) {
        command.error('error: give --channel or --video, not both')
      }
      if (options.watch !== undefined && targetOf(options) === null) {
        command.error('error: --watch needs --channel or --video')
      }
      return runCommand(context, options.json, () => runDoctor(context, options))
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

/** Runs the doctor with these options, and prints its findings unless they are for JSON. */
export async function runDoctor(
  { io, features }: Pick<CommandContext<HasChecks>, 'io' | 'features'>,
  options: DoctorOptions,
): Promise<Verdict | Refused> {
  return await runChecks(io, { ...readConfig(io.env), ...(await loadChecks(features)) }, options)
}

async function runChecks(io: CommandIo, config: DoctorConfig, options: DoctorOptions): Promise<Verdict | Refused> {
  const findings: Finding[] = []
  const report: Report = (finding) => {
    if (isConsequence(finding, findings, config)) return
    findings.push(finding)
    if (options.json || (finding.state === 'ok' && !options.verbose)) return
    io.stdout.write(`${lineOf(finding, io)}\n`)
  }
  if (options.entryPoint !== undefined) entryPointNamed(config, options.entryPoint)
  report(ok('settings-complete', 'The settings of the login app are complete, and its secrets are long enough.'))
  for (const text of config.warnings) report(warning('setting-doubtful', text))
  for (const text of unfinishedChanges(config)) report(warning('secret-change-unfinished', text))
  const trials = config.featureChecks.flatMap(({ trial }) => trial ?? [])
  const viewers = await readTestViewers(io, options, trials)
  if ('fault' in viewers) return viewers
  const time = startTimeLimit(io)
  using stop = stopOnInterrupt(io)
  const signal = AbortSignal.any([stop.signal, time.signal])
  const work = checkAll(
    { io: interruptedBy(signal, io), config, options, viewers, signal, waitFor: time.waitFor },
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
  }
  const watched = await watchedView(io, config, options, findings)
  if (watched !== null && 'fault' in watched) return watched
  if (watched !== null) report(watched)
  const counted = watched?.state === 'ok' ? withoutSecret(findings) : findings
  const { strict: isStrict = false, verbose: isVerbose = false } = options
  const { outcome, text } = verdictOn(counted, { isStrict, isVerbose, stdout: io.stdout })
  if (!options.json) io.stdout.write(`${text}\n`)
  return outcome
}

/** Waits for the viewer of `--watch`. Null without this option, and after a failure, since the viewer would be stopped. */
async function watchedView(
  io: CommandIo,
  { entryPoints }: Config,
  options: DoctorOptions,
  findings: readonly Finding[],
): Promise<Finding | Refused | null> {
  const target = targetOf(options)
  const { watch: viewer } = options
  if (viewer === undefined || target === null || findings.some(({ state }) => state === 'failure')) return null
  const lifetimes = entryPoints.filter(isHashEntryPoint).map(({ lifetimeSeconds }) => lifetimeSeconds || DAY_SECONDS)
  return await waitForView(io, { target, viewer, rememberedSeconds: Math.max(...lifetimes, 0) })
}

/** Reads the test viewers of the options, one for each way in. */
async function readTestViewers(
  io: CommandIo,
  options: DoctorOptions,
  trials: readonly SignInTrial[],
): Promise<readonly TestViewer[] | Refused> {
  const viewers: TestViewer[] = []
  if (options.viewer !== undefined) {
    const read = await readKnownPassword(io, 'VIEWER_PASSWORD', options.viewer)
    if (!read.ok) return read
    viewers.push(passwordViewer(options.viewer, read.text))
  }
  for (const trial of trials.filter(({ name }) => options[name] === true)) {
    const read = await trial.read(io)
    if (!read.ok) return read
    viewers.push(trialViewer(trial, read.text))
  }
  return viewers
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

function lineOf({ state, text, entryPoint }: Finding, { stdout }: CommandIo): string {
  return findingLine(state, entryPoint === undefined ? text : `Entry point ${entryPoint}: ${text}`, stdout)
}

/** True if an earlier finding already names the cause. */
function isConsequence(
  { code, entryPoint }: Finding,
  earlier: readonly Finding[],
  { answerChecks }: Pick<FeatureChecks, 'answerChecks'>,
): boolean {
  const causes = [CONSEQUENCES, ...answerChecks.map(({ consequences }) => consequences)].flatMap(
    (consequences) => consequences[code] ?? [],
  )
  return earlier.some(
    (one) => one.state !== 'ok' && causes.includes(one.code) && (one.entryPoint ?? entryPoint) === entryPoint,
  )
}
