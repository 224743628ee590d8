import { ConfigError } from '../../errors.ts'
import { sentenceOf } from '../../settings/fields.ts'
import { readGivenSettings } from '../../settings/named-file.ts'
import { type AccessToken, createTokenCache, requestToken } from '../../video-service/access-token.ts'
import { createRestApi, type RestApi } from '../../video-service/rest-api.ts'
import { ServiceRefusal, ServiceUnreachable, UnexpectedAnswer } from '../../video-service/service-errors.ts'
import { ServiceEnvironment, type ServiceSettings } from '../../video-service/service-settings.ts'
import { createTransport, type Transport } from '../../video-service/transport.ts'
import type { Outcome } from '../command.ts'
import type { CommandIo } from '../terminal/io.ts'
import { serviceFault } from './service-fault.ts'

/** The video service as a command sees it. */
export interface Service {
  readonly settings: ServiceSettings
  readonly send: Transport
  /** With a bearer token of the client's own. */
  readonly api: RestApi
  /** That token, asked for where there is none yet. */
  readonly apiToken: (signal?: AbortSignal) => Promise<AccessToken>
  readonly analyticsToken: (signal?: AbortSignal, refused?: AccessToken) => Promise<AccessToken>
  /** Given by the first Ctrl-C. */
  readonly signal: AbortSignal
}

export function nowSeconds(): number {
  return Date.now() / 1000
}

/** @throws ConfigError that lists every missing or wrong setting `SERVICE_…`. It repeats no value. */
export function readServiceSettings(env: CommandIo['env']): ServiceSettings {
  const { given, unreadable, mistakes: faults } = readGivenSettings(env, ['SERVICE_CLIENT_SECRET'])
  const parsed = ServiceEnvironment.safeParse(given)
  if (parsed.success && faults.length === 0) return parsed.data
  const issues = (parsed.error?.issues ?? []).filter(({ path }) => !unreadable.includes(String(path[0])))
  const mistakes = [...faults, ...issues.map(({ path, message }) => sentenceOf(path, message))]
  throw new ConfigError(`These settings are missing or wrong:\n${mistakes.map((mistake) => `  ${mistake}`).join('\n')}`)
}

/**
 * Does the work with the video service of the settings. What goes wrong there becomes a sentence that says what to do;
 * the first Ctrl-C calls off what is under way.
 * @throws ConfigError for settings that are missing or wrong.
 */
export async function withService(io: CommandIo, work: (service: Service) => Promise<Outcome>): Promise<Outcome> {
  const settings = readServiceSettings(io.env)
  const stop = new AbortController()
  const release = io.onInterrupt(() => stop.abort())
  const send = createTransport()
  const obtain = (type: AccessToken['type']) =>
    createTokenCache(
      (signal) => requestToken({ settings, send, nowSeconds }, { grant: 'client_credentials', type }, { signal }),
      nowSeconds,
    )
  const apiToken = obtain('bearer')
  const api = createRestApi({ settings, send, token: apiToken, nowSeconds })
  try {
    return await work({ settings, send, api, apiToken, analyticsToken: obtain('jwt'), signal: stop.signal })
  } catch (error) {
    if (stop.signal.aborted) return { ok: false, fault: 'Stopped.' }
    const fault = serviceFault(error, settings)
    if (fault === null) throw error
    return { ok: false, fault }
  } finally {
    release()
  }
}

/**
 * Says of a change whose answer did not come, or not as documented, that it may have been made.
 * @param doubt a sentence without its point: what is not known, and where to look.
 */
export async function announced<T>(doubt: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceUnreachable || error instanceof UnexpectedAnswer)) throw error
    throw new UnexpectedAnswer(`${error.message}. ${doubt}`, { cause: error })
  }
}

/** Whether the service said no with this error value. */
export function isRefusal(error: unknown, value: string): boolean {
  return error instanceof ServiceRefusal && error.error === value
}
