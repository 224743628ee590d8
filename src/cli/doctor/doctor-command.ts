import { styleText } from 'node:util'
import type { Command } from 'commander'
import { type Config, readConfig } from '../../config.ts'
import { ConfigError } from '../../errors.ts'
import type { LockPlace } from '../../video-service/locks.ts'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../command.ts'
import { contentId } from '../service/lock-command.ts'
import { withService } from '../service/service.ts'
import { chosenEntryPoint } from '../settings/chosen-entry-point.ts'
import type { CommandIo } from '../terminal/io.ts'
import { readKnownPassword } from '../terminal/read-password.ts'
import { printable } from '../terminal/text.ts'
import { examineApp, type TestViewer, trySignIn } from './app.ts'
import { type Finding, failure, ok, warning } from './finding.ts'
import { examineService } from './service.ts'

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
  addCommand(program, 'doctor', 'tell whether viewers will get through: settings, app, service, lock, a sign-in', [
    'viewer-auth doctor',
    'viewer-auth doctor --channel 1002 --viewer ada@example.com',
  ])
    .addHelpText('after', ABOUT)
    .option('--viewer <USERNAME>', 'sign this viewer in as a test')
    .option(
      '--entry-point <NAME>',
      'where the test viewer signs in (default: where the lock leads, else the only one, or default)',
    )
    .option('--channel <ID>', 'look at the lock of this channel', contentId)
    .option('--video <ID>', 'look at the lock of this video', contentId)
    .action((options: Options, command: Command) => {
      if (options.channel !== undefined && options.video !== undefined) {
        command.error('error: give --channel or --video, not both')
      }
      return runCommand(context, options.json, () => examine(context.io, options))
    })
}

async function examine(io: CommandIo, options: Options): Promise<Outcome> {
  const findings: Finding[] = []
  const tell = (finding: Finding) => {
    findings.push(finding)
    if (!options.json) io.stdout.write(`${lineOf(finding, io)}\n`)
  }
  const config = readConfig(io.env)
  if (options.entryPoint !== undefined) chosenEntryPoint(config, options.entryPoint)
  tell(ok('The settings of the login app are complete, and its secrets are long enough.'))
  for (const text of config.warnings) tell(warning(text))
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
    const lockedTo = await examineAtService(io, config, options, tell)
    stop.signal.throwIfAborted()
    if (viewer === null) tell(warning('No sign-in was tried: name a test viewer with --viewer.'))
    else {
      const entryPoint = chosenEntryPoint(config, options.entryPoint ?? lockedTo)
      for await (const finding of trySignIn(config, entryPoint, viewer, stop.signal)) tell(finding)
    }
  } catch (error) {
    if (stop.signal.aborted) return { ok: false, fault: 'Stopped.' }
    throw error
  } finally {
    release()
  }
  return verdictOn(findings)
}

/**
 * The login app is examined also without the settings of the service.
 * @returns the entry point that the lock of --channel or --video sends viewers to, where it is one of the settings.
 */
async function examineAtService(
  io: CommandIo,
  config: Config,
  options: Options,
  tell: (finding: Finding) => void,
): Promise<string | undefined> {
  const place = placeOf(options)
  if (place === null && !Object.entries(io.env).some(([name, value]) => name.startsWith('SERVICE_') && value)) {
    tell(warning('The video service was not asked: none of its settings, SERVICE_…, is there.'))
    return undefined
  }
  let lockedTo: string | undefined
  const outcome = await withService(io, async (service) => {
    lockedTo = await examineService(io.env, config, service, place, tell)
    return { ok: true }
  }).catch((error: unknown): Outcome => {
    if (error instanceof ConfigError) return { ok: false, fault: inOneLine(error.message) }
    throw error
  })
  if (!outcome.ok) tell(failure(outcome.fault))
  return lockedTo
}

/** Of a heading and its lines, one sentence. */
function inOneLine(message: string): string {
  const [heading = '', ...lines] = message.split(/\n\s*/)
  return [heading, lines.join('; ')].join(' ').trimEnd()
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
