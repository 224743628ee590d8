import type { Config } from '../../../config.ts'
import { isHashEntryPoint } from '../../../entry-points/entry-point.ts'
import { ConfigError } from '../../../errors.ts'
import type { LockPlace } from '../../../video-service/locks.ts'
import type { Outcome } from '../../command.ts'
import { type Service, withService } from '../../service/service.ts'
import { hasServiceSettings } from '../../settings/read-service-settings.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { failure, ok, type Report, unknown } from '../finding.ts'
import { checkChannels, checkLock } from './check-locks.ts'
import { compareClocks } from './clocks.ts'
import { findingOfServiceError } from './finding-of-service-error.ts'
import { checkViewerAuth } from './viewer-auth-record.ts'

interface Target {
  /** The channel or video to check. Null: all channels that lead to the app. */
  readonly place: LockPlace | null
  /** False if the app does not answer. Its clock is then not compared. */
  readonly isAppThere: boolean
}

/**
 * Checks the video service, unless its settings are missing and no place is given.
 * @returns the name of the entry point that the lock of the place leads to, if the settings have it.
 */
export async function checkService(
  io: CommandIo,
  config: Config,
  target: Target,
  report: Report,
): Promise<string | undefined> {
  if (target.place === null && !hasServiceSettings(io.env)) {
    report(
      unknown(
        'service-unchecked',
        'The video service and its locks were not checked, because no setting SERVICE_… is set. See src/cli/README.md.',
      ),
    )
    return undefined
  }
  let entryPointOfLock: string | undefined
  async function check(service: Service): Promise<Outcome> {
    try {
      entryPointOfLock = await checkWith(service, io, config, target, report)
    } catch (error) {
      const finding = service.signal.aborted ? null : await findingOfServiceError(error, service, target.place)
      if (finding === null) throw error
      report(finding)
    }
    return { ok: true }
  }
  await withService(io, check, null).catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error
    report(failure('service-settings', `The video service could not be checked. ${inOneLine(error.message)}`))
  })
  return entryPointOfLock
}

async function checkWith(
  service: Service,
  io: CommandIo,
  config: Config,
  { place, isAppThere }: Target,
  report: Report,
): Promise<string | undefined> {
  const { settings, signal } = service
  const hasGivenToken = settings.accessToken !== null
  await service.apiToken(signal)
  if (!hasGivenToken) report(ok('client-accepted', 'The video service accepts the client id and secret.'))
  const clocks = isAppThere && (await compareClocks(config, settings.baseUrl, signal))
  if (clocks) report(clocks)
  const entryPointOfLock = await checkBothVersions(service, io, config, place, report)
  if (hasGivenToken) report(ok('token-accepted', 'The video service accepts the token in SERVICE_ACCESS_TOKEN.'))
  return entryPointOfLock
}

/** Checks viewer auth, and locks with a hash. The service shows only the locks. */
async function checkBothVersions(
  service: Service,
  io: CommandIo,
  config: Config,
  place: LockPlace | null,
  report: Report,
): Promise<string | undefined> {
  const recorded = checkViewerAuth(io, config, service, place, report)
  if (recorded.entryPoint !== undefined) return recorded.entryPoint
  let entryPointOfLock: string | undefined
  try {
    // Locks have a secret; entry points with tokens have none.
    const hasLocks = config.entryPoints.some(isHashEntryPoint)
    if (hasLocks && place === null) await checkChannels(io, config, service, report)
    if (hasLocks && place !== null) entryPointOfLock = await checkLock(io, config, service, place, report)
  } finally {
    // A content with a hash lock of this app needs no viewer auth.
    if (recorded.unseen && entryPointOfLock === undefined) report(recorded.unseen)
  }
  return entryPointOfLock
}

/** Joins a heading and its lines into one line. */
function inOneLine(message: string): string {
  const [heading = '', ...lines] = message.split(/\n\s*/)
  return [heading, lines.join('; ')].join(' ').trimEnd()
}
