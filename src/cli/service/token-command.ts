import { type Command, Option } from 'commander'
import { type AccessToken, requestToken, type TokenOptions } from '../../video-service/access-token.ts'
import {
  authorizationAddress,
  listenOnLoopback,
  newState,
  readCode,
  readImplicitToken,
} from '../../video-service/authorization-page.ts'
import { addExamples, type CommandContext, type Outcome, runCommand } from '../command.ts'
import type { CommandIo } from '../terminal/io.ts'
import { readKnownPassword } from '../terminal/read-password.ts'
import { nowSeconds, type Service, withService } from './service.ts'

const GRANTS = ['client_credentials', 'password', 'authorization_code', 'implicit'] as const
const TYPES = ['bearer', 'mac', 'jwt'] as const
/** Long, because the user may have to look for a password first. */
const USER_TIMEOUT_MS = 600_000

interface Options {
  readonly json?: boolean
  readonly grant: (typeof GRANTS)[number]
  readonly type: (typeof TYPES)[number]
  readonly scope?: 'broadcaster'
  readonly username?: string
  readonly deviceName?: string
  readonly lang?: string
}

const ABOUT = `
Standard output is only the token, so that TOKEN=$(viewer-auth token) works. A MAC token takes three lines: id, key,
created_at. --grant password reads the password from SERVICE_PASSWORD, a prompt or standard input. --grant
authorization_code and implicit print an address: open it in a browser on this machine. The client must be registered
with the redirect prefix http://127.0.0.1/callback.`

/** Adds `token`, which requests an access token of the video service by one of its grants. */
export function addTokenCommand(command: Command, context: CommandContext): void {
  addExamples(command, [
    'viewer-auth token',
    'viewer-auth token --type jwt   # for the analytics API',
    'viewer-auth token --type mac --scope broadcaster --json',
    'viewer-auth token --grant password --username studio',
    'viewer-auth token --grant authorization_code',
  ])
    .addHelpText('after', ABOUT)
    .addOption(new Option('--grant <GRANT>', 'the OAuth 2.0 grant').choices(GRANTS).default('client_credentials'))
    .addOption(new Option('--type <TYPE>', 'the type of the token').choices(TYPES).default('bearer'))
    .addOption(new Option('--scope <SCOPE>', 'with a MAC token: allow broadcasting').choices(['broadcaster']))
    .option('--username <NAME>', 'the user of the video service, with --grant password')
    .option('--device-name <TEXT>', "the name in the user's list of connected clients")
    .option('--lang <LOCALE>', 'the language of the authorization page, such as de_DE')
    .action((options: Options, command: Command) => {
      const fault = faultInUsage(options)
      if (fault !== null) command.error(`error: ${fault}`)
      return runCommand(context, options.json, () =>
        withService(context.io, async (service) =>
          outcomeOf(context.io, await requestChosenToken(context.io, service, options)),
        ),
      )
    })
}

function faultInUsage({ grant, type, scope, username }: Options): string | null {
  if (grant === 'password' && username === undefined) return '--grant password needs --username NAME'
  if (grant !== 'password' && username !== undefined) return 'use --username only with --grant password'
  if (grant === 'authorization_code' && type !== 'bearer') return '--grant authorization_code gives bearer tokens only'
  if (grant !== 'client_credentials' && type === 'jwt') return 'use --type jwt only with --grant client_credentials'
  if (scope !== undefined && type !== 'mac') return 'use --scope broadcaster only with --type mac'
  return null
}

type TokenResult = { readonly ok: true; readonly token: AccessToken } | { readonly ok: false; readonly fault: string }

async function requestChosenToken(io: CommandIo, service: Service, options: Options): Promise<TokenResult> {
  const { grant, type, username = '' } = options
  const deps = { settings: service.settings, send: service.send, nowSeconds }
  const tokenOptions: TokenOptions = {
    signal: service.signal,
    ...(options.deviceName === undefined ? {} : { deviceName: options.deviceName }),
    ...(options.scope === undefined ? {} : { scope: options.scope }),
  }
  if (grant === 'client_credentials')
    return { ok: true, token: await requestToken(deps, { grant, type }, tokenOptions) }
  if (grant !== 'password') return { ok: true, token: await tokenFromAuthorizationPage(io, service, options, grant) }
  if (type === 'jwt') return { ok: false, fault: '--grant password gives no JWT.' }
  const read = await readKnownPassword(io, 'SERVICE_PASSWORD', `${username} at the video service`)
  if (!read.ok) return read
  return { ok: true, token: await requestToken(deps, { grant, type, username, password: read.password }, tokenOptions) }
}

async function tokenFromAuthorizationPage(
  { stderr }: CommandIo,
  { settings, send, signal }: Service,
  { type, scope, deviceName, lang }: Options,
  grant: 'authorization_code' | 'implicit',
): Promise<AccessToken> {
  const listener = await listenOnLoopback()
  try {
    const state = newState()
    const { redirectUri } = listener
    const address = authorizationAddress(settings, {
      responseType: grant === 'implicit' ? 'token' : 'code',
      redirectUri,
      state,
      ...(type === 'mac' ? { tokenType: type } : {}),
      ...(scope === undefined ? {} : { scope }),
      ...(deviceName === undefined ? {} : { deviceName }),
      ...(lang === undefined ? {} : { language: lang }),
    })
    const redirected = listener.redirected(state, AbortSignal.any([signal, AbortSignal.timeout(USER_TIMEOUT_MS)]))
    stderr.write(`Open this address in a browser on this machine, sign in and allow the access:\n${address}\n`)
    const redirect = await redirected
    if (grant === 'implicit') return readImplicitToken(redirect, state, nowSeconds())
    const question = { grant, code: readCode(redirect, state), redirectUri }
    return await requestToken({ settings, send, nowSeconds }, question, { signal })
  } finally {
    listener.close()
  }
}

function outcomeOf({ stderr }: CommandIo, result: TokenResult): Outcome {
  if (!result.ok) return result
  const { token } = result
  const expires = new Date(token.expiresAtSeconds * 1000).toISOString()
  stderr.write(`This ${token.type} token expires at ${expires}. Keep it secret, like a password.\n`)
  if (token.type !== 'mac') {
    return { ok: true, text: token.value, data: { type: token.type, access_token: token.value, expires_at: expires } }
  }
  const { mac, createdAtSeconds } = token
  return {
    ok: true,
    text: `id ${mac.id}\nkey ${mac.key}\ncreated_at ${createdAtSeconds}`,
    data: {
      type: token.type,
      access_token: mac.id,
      mac_key: mac.key,
      mac_algorithm: 'hmac-sha-1',
      created_at: createdAtSeconds,
      expires_at: expires,
    },
  }
}
