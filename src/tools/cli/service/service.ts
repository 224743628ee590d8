import { type AccessToken, createTokenCache, requestToken } from '../../video-service/access-token.ts'
import { createRestApi, type RestApi } from '../../video-service/rest-api.ts'
import { ServiceRefusal, ServiceUnreachable, UnexpectedAnswer } from '../../video-service/service-errors.ts'
import type { ApiCredential, ServiceSettings } from '../../video-service/service-settings.ts'
import { createTransport, type Transport } from '../../video-service/transport.ts'
import { readServiceSettings } from '../settings/video-service/read-service-settings.ts'
import type { Refused } from '../terminal/command.ts'
import { type CommandIo, stopOnInterrupt } from '../terminal/io.ts'
import { tokenOfLogin } from './access-token/kept-login.ts'
import { obtainToken } from './access-token/obtain-token.ts'
import type { TokenChoice } from './access-token/token-choice.ts'
import { clockTime, serviceFault } from './service-fault.ts'

/** Access to the video service for one command. */
export interface Service {
  readonly settings: ServiceSettings
  readonly send: Transport
  /** The REST API, called with the token of the command. */
  readonly api: RestApi
  /** Returns the token of the REST API, and requests one if there is none yet. */
  readonly apiToken: (signal?: AbortSignal) => Promise<ApiCredential>
  readonly analyticsToken: (signal?: AbortSignal, refused?: AccessToken) => Promise<AccessToken>
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal
}

const SHORT_WAIT_MS = 3_000

export function nowSeconds(): number {
  return Date.now() / 1000
}

/**
 * Does the work with the video service of the settings. Turns errors of the service into messages for the user. The
 * first Ctrl-C aborts the requests.
 * @param access the token of the REST API. Null: that of the environment, the kept login, or the client's own token. Without this
 *   parameter: always the client's own token.
 * @throws ConfigError that lists every missing or wrong setting.
 */
export async function withService<T>(
  io: CommandIo,
  work: (service: Service) => Promise<T>,
  access?: TokenChoice | null,
): Promise<T | Refused> {
  const read = readServiceSettings(io.env)
  const settings = access === null ? read : { ...read, accessToken: null }
  using stop = stopOnInterrupt(io)
  const onWait = (untilMs: number) => {
    if (untilMs - Date.now() > SHORT_WAIT_MS) {
      io.stderr.write(`The service asks to wait until ${clockTime(untilMs)}.\n`)
    }
  }
  const send = createTransport({ onWait })
  const tokens = (type: AccessToken['type']) =>
    createTokenCache(
      (signal) => requestToken({ settings, send, nowSeconds }, { grant: 'client_credentials', type }, { signal }),
      nowSeconds,
    )
  try {
    let given: ApiCredential | null = settings.accessToken
    if (access) {
      const obtained = await obtainToken(io, { settings, send, nowSeconds, signal: stop.signal }, access)
      if (!obtained.ok) return obtained
      given = obtained.token
    }
    const { loginFile } = settings
    if (access === null && given === null && loginFile !== null) {
      given = await tokenOfLogin(loginFile, { settings, send, nowSeconds }, stop.signal)
    }
    const apiToken = given === null ? tokens('bearer') : () => Promise.resolve(given)
    const api = createRestApi({ settings, send, token: apiToken, nowSeconds })
    return await work({ settings, send, api, apiToken, analyticsToken: tokens('jwt'), signal: stop.signal })
  } catch (error) {
    if (stop.signal.aborted) return { ok: false, fault: 'Stopped.' }
    const { loginFile } = settings
    const fault = serviceFault(error, { ...settings, loginFile: access === null ? loginFile : null })
    if (fault === null) throw error
    return { ok: false, fault }
  }
}

/**
 * Does the work. If the answer of the service is missing or malformed, adds a warning to the error.
 * @param warning the possible change, and how to check. Without a full stop at the end.
 */
export async function warnIfOutcomeUnknown<T>(warning: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceUnreachable || error instanceof UnexpectedAnswer)) throw error
    throw new UnexpectedAnswer(`${error.message}. ${warning}`, { cause: error })
  }
}

/** True if the service refused with this error value. */
export function isRefusal(error: unknown, value: string): boolean {
  return error instanceof ServiceRefusal && error.error === value
}
