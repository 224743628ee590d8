import { styleText } from 'node:util'
import type { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { ConfigError } from '../errors.ts'
import type { LockPlace } from '../video-service/locks.ts'
import { answer, type CommandContext, type CommandIo, leafCommand, type Outcome } from './answer.ts'
import { examineApp, type TestViewer, trySignIn } from './doctor-app.ts'
import { type Finding, failure, ok, warning } from './doctor-finding.ts'
import { examineService } from './doctor-service.ts'
import { chosenEntryPoint } from './expected-lock.ts'
import { contentId } from './lock-command.ts'
import { readKnownPassword } from './read-password.ts'
import { withService } from './service.ts'
import { printable } from './terminal-text.ts'

interface Options {
  readonly json?: boolean
  readonly viewer?: string
  readonly entryPoint?: string
  readonly channel?: string
  readonly video?: string
}

const ABOUT = `
It asks the login app over its PUBLIC_URL, as a browser would, and the video service; it changes nothing but the session
of the test viewer, which it ends. The password of the test viewer comes from VIEWER_PASSWORD, the prompt or standard
input. Exit status 1 when anything fails.`

/** `doctor`: whether viewers will get through. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  leafCommand(program, 'doctor', 'tell whether viewers will get through: settings, app, service, lock, a sign-in', [
    'viewer-auth doctor',
    'viewer-auth doctor --channel 1002 --viewer ada@example.com',
  ])
    .addHelpText('after', ABOUT)
    .option('--viewer <USERNAME>', 'sign this viewer in as a test')
    .option('--entry-point <NAME>', 'where the test viewer signs in (default: the only one, or default)')
    .option('--channel <ID>', 'look at the lock of this channel', contentId)
    .option('--video <ID>', 'look at the lock of this video', contentId)
    .action((options: Options, command: Command) => {
      if (options.channel !== undefined && options.video !== undefined) {
        command.error('error: give --channel or --video, not both')
      }
      return answer(context, options.json, () => examine(context.io, options))
    })
}

async function examine(io: CommandIo, options: Options): Promise<Outcome> {
  const findings: Finding[] = []
  const tell = (finding: Finding) => {
    findings.push(finding)
    if (!options.json) io.stdout.write(`${lineOf(finding, io)}\n`)
  }
  const config = readConfig(io.env)
  tell(ok('The settings of the login app are complete, and its secrets are long enough.'))
  for (const text of config.warnings) tell(warning(`${text}.`))
  let viewer: TestViewer | null = null
  if (options.viewer !== undefined) {
    const read = await readKnownPassword(io, 'VIEWER_PASSWORD', options.viewer)
    if (!read.ok) return read
    viewer = { username: options.viewer, password: read.password }
  }
  const stop = new AbortController()
  const release = io.onInterrupt(() => stop.abort())
  try {
    for await (const finding of examineApp(config, stop.signal)) tell(finding)
    const entryPoint = chosenEntryPoint(config, options.entryPoint)
    if (viewer === null) tell(warning('No sign-in was tried: name a test viewer with --viewer.'))
    else for await (const finding of trySignIn(config, entryPoint, viewer, stop.signal)) tell(finding)
  } catch (error) {
    if (stop.signal.aborted) return { ok: false, fault: 'Stopped.' }
    throw error
  } finally {
    release()
  }
  const outcome = await serviceOutcome(io, config, options, tell)
  if (!outcome.ok) tell(failure(outcome.fault))
  return verdictOn(findings)
}

/** Without the settings of the service the login app is examined all the same. */
async function serviceOutcome(
  io: CommandIo,
  config: Config,
  options: Options,
  tell: (finding: Finding) => void,
): Promise<Outcome> {
  try {
    return await withService(io, async (service) => {
      for await (const finding of examineService(io.env, config, service, placeOf(options))) tell(finding)
      return { ok: true }
    })
  } catch (error) {
    if (error instanceof ConfigError) return { ok: false, fault: error.message.replaceAll(/\n\s*/g, ' ') }
    throw error
  }
}

function verdictOn(findings: readonly Finding[]): Outcome {
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length
  const [failures, warnings] = [count('failure'), count('warning')]
  const verdict =
    failures > 0
      ? 'Viewers will not get through.'
      : warnings > 0
        ? 'Nothing was found that stops viewers, but look at the warnings.'
        : 'Viewers will get through.'
  const text = `${verdict} (${numberOf(failures, 'failure')}, ${numberOf(warnings, 'warning')})`
  return { ok: true, text, data: { findings, failures, warnings }, isPartial: failures > 0 }
}

function numberOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

function placeOf({ channel, video }: Options): LockPlace | null {
  if (channel !== undefined) return { kind: 'channel', id: channel }
  return video === undefined ? null : { kind: 'video', id: video }
}

function lineOf({ state, text }: Finding, { stdout }: CommandIo): string {
  const colour = state === 'ok' ? 'green' : state === 'warning' ? 'yellow' : 'red'
  return `${styleText(colour, state.padEnd(8), { stream: stdout })} ${printable(text)}`
}
