import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { ConfigError } from '../../../../errors.ts'
import { createPrivateFile } from '../../../../server/private-file.ts'
import { type AccessToken, requestToken, type TokenDeps } from '../../../video-service/access-token.ts'

const KeptLogin = z.object({
  /** The service and the client that the tokens belong to. */
  oauthUrl: z.string(),
  clientId: z.string(),
  refreshToken: z.string(),
  accessToken: z.string(),
  expiresAtSeconds: z.number(),
})
export type KeptLogin = z.infer<typeof KeptLogin>

/** A token is not used in its last minutes, because it must outlive the command. */
const SPARE_SECONDS = 300

/**
 * Writes the login to a file that only this user may read. An existing file is replaced as a whole.
 * @throws ConfigError if the token has no refresh token, or the file cannot be written.
 */
export function keepLogin(file: string, { settings }: Pick<TokenDeps, 'settings'>, token: AccessToken): void {
  if (token.type === 'mac' || token.refreshToken === undefined) {
    throw new ConfigError('The service sent no refresh token, so the login cannot be kept. Use viewer-auth token.')
  }
  const { value: accessToken, refreshToken, expiresAtSeconds } = token
  const { oauthUrl, clientId } = settings
  const login: KeptLogin = { oauthUrl, clientId, refreshToken, accessToken, expiresAtSeconds }
  try {
    const next = `${file}.next`
    rmSync(next, { force: true })
    createPrivateFile(next)
    writeFileSync(next, `${JSON.stringify(login, null, 2)}\n`, { flush: true })
    renameSync(next, file)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new ConfigError(`The file ${file} of SERVICE_LOGIN_FILE cannot be written (${code}).`, { cause })
  }
}

/** @throws ConfigError if there is no login in the file, or it belongs to another service or client. */
export function readLogin(file: string, { settings }: Pick<TokenDeps, 'settings'>): KeptLogin {
  let login: KeptLogin
  try {
    login = KeptLogin.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    throw new ConfigError(`SERVICE_LOGIN_FILE holds no login. Run viewer-auth login, or remove the setting.`, { cause })
  }
  if (login.oauthUrl === settings.oauthUrl && login.clientId === settings.clientId) return login
  throw new ConfigError('The login of SERVICE_LOGIN_FILE is of another service or client. Run viewer-auth login.')
}

/**
 * Returns the access token of the kept login. Gets a new one shortly before its end, and keeps the new refresh token.
 * @throws ConfigError as readLogin() and keepLogin(); errors as requestToken().
 */
export async function tokenOfLogin(
  file: string,
  deps: TokenDeps,
  signal?: AbortSignal,
): Promise<{ readonly type: 'bearer'; readonly value: string }> {
  const { accessToken, expiresAtSeconds, refreshToken } = readLogin(file, deps)
  if (expiresAtSeconds - SPARE_SECONDS > deps.nowSeconds()) return { type: 'bearer', value: accessToken }
  const token = await requestToken(deps, { grant: 'refresh_token', refreshToken }, { signal })
  if (token.type === 'mac') throw new RangeError('A refresh token gives a bearer token')
  // A service may leave the refresh token as it is.
  keepLogin(file, deps, { ...token, refreshToken: token.refreshToken ?? refreshToken })
  return { type: 'bearer', value: token.value }
}
