import { existsSync } from 'node:fs'
import { styleText } from 'node:util'
import type { Command } from 'commander'
import { type Config, readConfig } from '../../config.ts'
import { ConfigError } from '../../errors.ts'
import type { LockPlace } from '../../video-service/locks.ts'
import { addExamples, type CommandContext, type Outcome, runCommand } from '../command.ts'
import { contentId } from '../service/lock-place.ts'
import { pendingFile } from '../service/secret-files.ts'
import { withService } from '../service/service.ts'
import { chosenEntryPoint } from '../settings/chosen-entry-point.ts'
import { hasServiceSettings } from '../settings/read-service-settings.ts'
import type { CommandIo } from '../terminal/io.ts'
import { readKnownPassword } from '../terminal/read-password.ts'
import { printable } from '../terminal/text.ts'
import { checkApp, type TestViewer, trySignIn } from './app.ts'
import { type Finding, failure, ok, warning } from './finding.ts'
import { checkService } from './service.ts'

interface Options {
  readonly json?: boolean
  readonly viewer?: string
  readonly entryPoint?: string
  readonly channel?: string
  readonly video?: string
}

const ABOUT = `
The doctor calls the login app over its PUBLIC_URL, as a browser would, and the video service. It changes nothing, except
that the test viewer signs in and out. The password of the test viewer comes from VIEWER_PASSWORD, a prompt or standard
input. The exit status is 1 if any check fails.`

/** Adds `doctor`, which checks if viewers will get through. */
export function addDoctorCommand(command: Command, context: CommandContext): void {
  addExamples(command, ['viewer-auth doctor', 'viewer-auth doctor --channel 1002 --viewer ada@example.com'])
    .addHelpText('after', ABOUT)
    .option('--viewer <USERNAME>', 'try a sign-in with this viewer')
    .option(
      '--entry-point <NAME>',
      'where the test viewer signs in (default: the entry point of the lock, else the only one, or default)',
    )
    .option('--channel <ID>', 'check the lock of this channel', contentId)
    .option('--video <ID>', 'check the lock of this video', contentId)
    .action((options: Options, command: Command) => {
      if (options.channel !== undefined && options.video !== undefined) {
        command.error('error: give --channel or --video, not both')
      }
      return runCommand(context, options.json, () => runChecks(context.io, options))
    })
}

async function runChecks(io: CommandIo, options: Options): Promise<Outcome> {
  const findings: Finding[] = []
  const report = (finding: Finding) => {
    findings.push(finding)
    if (!options.json) io.stdout.write(`${lineOf(finding, io)}\n`)
  }
  const config = readConfig(io.env)
  if (options.entryPoint !== undefined) chosenEntryPoint(config, options.entryPoint)
  report(ok('The settings of the login app are complete, and its secrets are long enough.'))
  for (const text of [...config.warnings, ...unfinishedChanges(config)]) report(warning(text))
  let viewer: TestViewer | null = null
  if (options.viewer !== undefined) {
    const read = await readKnownPassword(io, 'VIEWER_PASSWORD', options.viewer)
    if (!read.ok) return read
    viewer = { username: options.viewer, password: read.password }
  }
  const stop = new AbortController()
  const release = io.onInterrupt(() => stop.abort())
  try {
    for await (const finding of checkApp(config, stop.signal)) report(finding)
    const entryPointOfLock = await checkVideoService(io, config, options, report)
    stop.signal.throwIfAborted()
    if (viewer === null) report(warning('No sign-in was tried. Name a test viewer with --viewer.'))
    else {
      const entryPoint = chosenEntryPoint(config, options.entryPoint ?? entryPointOfLock)
      for await (const finding of trySignIn(config, entryPoint, viewer, stop.signal)) report(finding)
    }
  } catch (error) {
    if (stop.signal.aborted) return { ok: false, fault: 'Stopped.' }
    throw error
  } finally {
    release()
  }
  return verdictOn(findings)
}

/** Returns a sentence for each entry point whose secret is being changed: a lock may have a secret of its own. */
function unfinishedChanges({ entryPoints }: Config): string[] {
  return entryPoints.flatMap(({ name, secretFiles }) => {
    const file = secretFiles && pendingFile(secretFiles)
    if (file === null || !existsSync(file)) return []
    return [
      `The change of the secret of the entry point ${name} is not finished, because ${file} exists. Run the same lock set --rotate command again.`,
    ]
  })
}

/**
 * Checks the video service, unless its settings are missing.
 * @returns the name of the entry point that the lock of --channel or --video points to, if the settings have it.
 */
async function checkVideoService(
  io: CommandIo,
  config: Config,
  options: Options,
  report: (finding: Finding) => void,
): Promise<string | undefined> {
  const place = placeOf(options)
  if (place === null && !hasServiceSettings(io.env)) {
    report(warning('The video service was not checked, because no setting SERVICE_… is set.'))
    return undefined
  }
  let entryPointOfLock: string | undefined
  const outcome = await withService(io, async (service) => {
    entryPointOfLock = await checkService(io.env, config, service, place, report)
    return { ok: true }
  }).catch((error: unknown): Outcome => {
    if (error instanceof ConfigError) return { ok: false, fault: inOneLine(error.message) }
    throw error
  })
  if (!outcome.ok) report(failure(outcome.fault))
  return entryPointOfLock
}

/** Joins a heading and its lines into one line. */
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
        ? 'Nothing stops viewers, but check the warnings.'
        : 'Viewers will get through.'
  const text = `${verdict} (${numberOf(failures, 'failure')}, ${numberOf(warnings, 'warning')})`
  return { ok: true, text, data: { findings, failures, warnings }, isPartial: failures > 0 }
}

function numberOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function placeOf({ channel, video }: Options): LockPlace | null {
  if (channel !== undefined) return { kind: 'channel', id: channel }
  return video === undefined ? null : { kind: 'video', id: video }
}

function lineOf({ state, text }: Finding, { stdout }: CommandIo): string {
  const colour = state === 'ok' ? 'green' : state === 'warning' ? 'yellow' : 'red'
  return `${styleText(colour, state.padEnd(8), { stream: stdout })} ${printable(text)}`
}
