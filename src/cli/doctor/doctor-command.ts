import { existsSync } from 'node:fs'
import { styleText } from 'node:util'
import type { Command } from 'commander'
import { type Config, readConfig } from '../../config.ts'
import { ConfigError } from '../../errors.ts'
import type { LockPlace } from '../../video-service/locks.ts'
import { addExamples, addNotes, type CommandContext, type Outcome, runCommand } from '../command.ts'
import { contentId } from '../service/lock-place.ts'
import { pendingFile } from '../service/rotate/secret-files.ts'
import { type Service, withService } from '../service/service.ts'
import { chosenEntryPoint } from '../settings/chosen-entry-point.ts'
import { hasServiceSettings } from '../settings/read-service-settings.ts'
import type { CommandIo } from '../terminal/io.ts'
import { readKnownPassword } from '../terminal/read-password.ts'
import { printable } from '../terminal/text.ts'
import { checkApp } from './app/app.ts'
import { trySignIn } from './app/sign-in.ts'
import type { TestViewer } from './app/test-viewer.ts'
import { type Finding, failure, findingOf, type Level, ok, unknown, warning } from './finding.ts'
import { checkMail } from './mail.ts'
import { checkPages } from './page/check-page.ts'
import { pageAddress } from './page/page-address.ts'
import { compareClocks } from './service/clocks.ts'
import { checkChannels, checkLock } from './service/locks.ts'
import { findingOfServiceError } from './service/service-error.ts'
import { verdictOn } from './verdict.ts'

interface Options {
  readonly json?: boolean
  readonly viewer?: string
  readonly entryPoint?: string
  readonly channel?: string
  readonly video?: string
  readonly page?: readonly URL[]
  readonly strict?: boolean
}

type Report = (finding: Finding) => void

const ABOUT = `
The doctor calls the login app over its PUBLIC_URL, as a browser would, and the video service. It changes nothing, except
that the test viewer signs in and out. The password of the test viewer comes from VIEWER_PASSWORD, a prompt or standard
input. The exit status is 1 after a failure. With --strict it is also 1 after a warning or an unknown result, which
cannot be seen from here.`

/** Adds `doctor`, which checks if viewers will get through. */
export function addDoctorCommand(command: Command, context: CommandContext): void {
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
    .option('--strict', 'exit status 1 also after a warning or an unknown result')
    .action((options: Options, command: Command) => {
      if (options.channel !== undefined && options.video !== undefined) {
        command.error('error: give --channel or --video, not both')
      }
      return runCommand(context, options.json, () => runChecks(context.io, options))
    })
}

async function runChecks(io: CommandIo, options: Options): Promise<Outcome> {
  const findings: Finding[] = []
  const report: Report = (finding) => {
    findings.push(finding)
    if (!options.json) io.stdout.write(`${lineOf(finding, io)}\n`)
  }
  const config = readConfig(io.env)
  if (options.entryPoint !== undefined) chosenEntryPoint(config, options.entryPoint)
  report(ok('settings-complete', 'The settings of the login app are complete, and its secrets are long enough.'))
  for (const text of config.warnings) report(warning('setting-doubtful', text))
  for (const text of unfinishedChanges(config)) report(warning('secret-change-unfinished', text))
  let viewer: TestViewer | null = null
  if (options.viewer !== undefined) {
    const read = await readKnownPassword(io, 'VIEWER_PASSWORD', options.viewer)
    if (!read.ok) return read
    viewer = { username: options.viewer, password: read.password }
  }
  const stop = new AbortController()
  const release = io.onInterrupt(() => stop.abort())
  try {
    const isAppThere = await reportAll(checkApp(config, stop.signal), report)
    await reportAll(checkMail(config), report)
    const entryPointOfLock = await checkVideoService(io, config, { ...options, isAppThere }, report)
    stop.signal.throwIfAborted()
    const namedEntryPoint = options.entryPoint ?? entryPointOfLock
    if (isAppThere) await reportAll(checkPages(config, namedEntryPoint, options.page ?? [], stop.signal), report)
    if (viewer === null) {
      report(unknown('no-sign-in', 'No sign-in was tried. Name a test viewer with --viewer.'))
    } else if (isAppThere) {
      const entryPoint = chosenEntryPoint(config, namedEntryPoint)
      const signIn = trySignIn(io, config, entryPoint, viewer, stop.signal)
      await reportAll(signIn, (finding) => report(findingOf(config, entryPoint, finding)))
    }
  } catch (error) {
    if (stop.signal.aborted) return { ok: false, fault: 'Stopped.' }
    throw error
  } finally {
    release()
  }
  return verdictOn(findings, options.strict === true)
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
 * @returns the name of the entry point that the lock of --channel or --video leads to, if the settings have it.
 */
async function checkVideoService(
  io: CommandIo,
  config: Config,
  options: Options & { readonly isAppThere: boolean },
  report: Report,
): Promise<string | undefined> {
  const place = placeOf(options)
  if (place === null && !hasServiceSettings(io.env)) {
    report(
      unknown(
        'service-unchecked',
        'The video service and its locks were not checked, because no setting SERVICE_… is set.',
      ),
    )
    return undefined
  }
  let entryPointOfLock: string | undefined
  async function checkAll(service: Service): Promise<void> {
    const hasGivenToken = service.settings.accessToken !== null
    await service.apiToken(service.signal)
    if (!hasGivenToken) report(ok('client-accepted', 'The video service accepts the client id and secret.'))
    const clocks = options.isAppThere && (await compareClocks(config, service.settings.baseUrl, service.signal))
    if (clocks) report(clocks)
    if (place === null) await checkChannels(io, config, service, report)
    else entryPointOfLock = await checkLock(io, config, service, place, report)
    if (hasGivenToken) report(ok('token-accepted', 'The video service accepts the token in SERVICE_ACCESS_TOKEN.'))
  }
  async function nameErrors(service: Service): Promise<Outcome> {
    try {
      await checkAll(service)
    } catch (error) {
      const finding = service.signal.aborted ? null : await findingOfServiceError(error, service, place)
      if (finding === null) throw error
      report(finding)
    }
    return { ok: true }
  }
  await withService(io, nameErrors, null).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error
    report(failure('service-settings', `The video service could not be checked. ${inOneLine(error.message)}`))
  })
  return entryPointOfLock
}

/** Joins a heading and its lines into one line. */
function inOneLine(message: string): string {
  const [heading = '', ...lines] = message.split(/\n\s*/)
  return [heading, lines.join('; ')].join(' ').trimEnd()
}

function placeOf({ channel, video }: Options): LockPlace | null {
  if (channel !== undefined) return { kind: 'channel', id: channel }
  return video === undefined ? null : { kind: 'video', id: video }
}

const COLOURS: Readonly<Record<Level, 'green' | 'yellow' | 'magenta' | 'red'>> = {
  ok: 'green',
  warning: 'yellow',
  unknown: 'magenta',
  failure: 'red',
}

function lineOf({ state, text, entryPoint }: Finding, { stdout }: CommandIo): string {
  const label = styleText(COLOURS[state], state.padEnd(8), { stream: stdout })
  return `${label} ${printable(entryPoint === undefined ? text : `Entry point ${entryPoint}: ${text}`)}`
}
