import { isHashEntryPoint } from '../../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../../errors.ts'
import type { LockTarget } from '../../../video-service/locks.ts'
import { type Service, withService } from '../../service/service.ts'
import { hasServiceSettings } from '../../settings/video-service/read-service-settings.ts'
import type { Outcome } from '../../terminal/command.ts'
import type { CommandIo } from '../../terminal/io.ts'
import type { ContentLock } from '../answer-check.ts'
import type { DoctorConfig } from '../feature-check.ts'
import { failure, ok, type Report, unknown } from '../finding.ts'
import { checkChannels, checkLock } from './check-locks.ts'
import { compareClocks } from './clocks.ts'
import { findingOfServiceError } from './finding-of-service-error.ts'

interface Scope {
  /** The channel or video to check. Null: all channels that lead to the app. */
  readonly target: LockTarget | null
  /** False if the app does not answer. Its clock is then not compared. */
  readonly isAppThere: boolean
}

/** Checks the video service, unless its settings are missing and no target is given. */
export async function checkService(
  io: CommandIo,
  config: DoctorConfig,
  scope: Scope,
  report: Report,
): Promise<ContentLock> {
  if (scope.target === null && !hasServiceSettings(io.env)) {
    report(
      unknown(
        'service-unchecked',
        'The video service and its locks were not checked, because no setting SERVICE_… is set. See src/tools/cli/README.md.',
      ),
    )
    return {}
  }
  let lock: ContentLock = {}
  async function check(service: Service): Promise<Outcome> {
    try {
      lock = await checkWith(service, io, config, scope, report)
    } catch (error) {
      const finding = service.signal.aborted ? null : await findingOfServiceError(error, service, scope.target)
      if (finding === null) throw error
      report(finding)
    }
    return { ok: true }
  }
  await withService(io, check, null).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error
    report(failure('service-settings', `The video service could not be checked. ${inOneLine(error.message)}`))
  })
  return lock
}

async function checkWith(
  service: Service,
  io: CommandIo,
  config: DoctorConfig,
  { target, isAppThere }: Scope,
  report: Report,
): Promise<ContentLock> {
  const { settings, signal } = service
  const hasGivenToken = settings.accessToken !== null
  await service.apiToken(signal)
  if (!hasGivenToken) report(ok('client-accepted', 'The video service accepts the client id and secret.'))
  const hasLocks = config.entryPoints.some(isHashEntryPoint)
  // The checks of other answers compare the clocks too.
  const clocks = isAppThere && hasLocks && (await compareClocks(config, settings.baseUrl, signal))
  if (clocks) report(clocks)
  const answer = config.answerChecks.find(({ at }) => config.entryPoints.some((entryPoint) => at(entryPoint) !== null))
  const lock = await (answer?.checkContent ?? checkContent)(service, io, config, target, report)
  if (hasGivenToken) report(ok('token-accepted', 'The video service accepts the token in SERVICE_ACCESS_TOKEN.'))
  return lock
}

/** Checks the lock of a channel or video. Without a target, checks the locks of all channels. */
async function checkContent(
  service: Service,
  io: CommandIo,
  config: DoctorConfig,
  target: LockTarget | null,
  report: Report,
): Promise<ContentLock> {
  if (target === null) {
    if (config.entryPoints.some(isHashEntryPoint)) await checkChannels(io, config, service, report)
    return {}
  }
  const entryPoint = await checkLock(io, config, service, target, report)
  return entryPoint === undefined ? {} : { entryPoint }
}

/** Joins a heading and its lines into one line. */
function inOneLine(message: string): string {
  const [heading = '', ...lines] = message.split(/\n\s*/)
  return [heading, lines.join('; ')].join(' ').trimEnd()
}
