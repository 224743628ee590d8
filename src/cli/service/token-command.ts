import { type Command, Option } from 'commander'
import { type AccessToken, requestToken, type TokenOptions } from '../../video-service/access-token.ts'
import {
  authorizationAddress,
  listenOnLoopback,
  newState,
  readCode,
  readImplicitToken,
} from '../../video-service/authorization-page.ts'
import { addCommand, type CommandContext, type Outcome, runCommand } from '../command.ts'
import type { CommandIo } from '../terminal/io.ts'
import { readKnownPassword } from '../terminal/read-password.ts'
import { nowSeconds, type Service, withService } from './service.ts'

const GRANTS = ['client_credentials', 'password', 'authorization_code', 'implicit'] as const
const TYPES = ['bearer', 'mac', 'jwt'] as const
/** Somebody may have to find a password first. */
const PERSON_TIMEOUT_MS = 600_000

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
The token is printed on standard output and nothing else is, so that TOKEN=$(viewer-auth token) works; of a MAC token
three lines: id, key, created_at. For password, the password comes from SERVICE_PASSWORD, the prompt or standard input.
For authorization_code and implicit an address is printed to be opened in a browser of this machine; the client must
have been registered with the prefix http://127.0.0.1/callback.`

/** `token`: an access token of the video service, by any of its flows. */
export function addTokenCommand(program: Command, context: CommandContext): void {
  addCommand(program, 'token', 'print an access token of the video service', [
    'viewer-auth token',
    'viewer-auth token --type jwt   # for the analytics API',
    'viewer-auth token --type mac --scope broadcaster --json',
    'viewer-auth token --grant password --username studio',
    'viewer-auth token --grant authorization_code',
  ])
    .addHelpText('after', ABOUT)
    .addOption(new Option('--grant <GRANT>', 'how it is asked for').choices(GRANTS).default('client_credentials'))
    .addOption(new Option('--type <TYPE>', 'what kind of token').choices(TYPES).default('bearer'))
    .addOption(new Option('--scope <SCOPE>', 'with a MAC token: may broadcast').choices(['broadcaster']))
    .option('--username <NAME>', 'the user of the video service, with --grant password')
    .option('--device-name <TEXT>', 'shown to the user among the connected clients')
    .option('--lang <LOCALE>', 'language of the authorization page, such as de_DE')
    .action((options: Options, command: Command) => {
      const fault = faultInUsage(options)
      if (fault !== null) command.error(`error: ${fault}`)
      return runCommand(context, options.json, () =>
        withService(context.io, async (service) => outcomeOf(context.io, await obtain(context.io, service, options))),
      )
    })
}

function faultInUsage({ grant, type, scope, username }: Options): string | null {
  if (grant === 'password' && username === undefined) return '--grant password needs --username NAME'
  if (grant !== 'password' && username !== undefined) return '--username goes with --grant password only'
  if (grant === 'authorization_code' && type !== 'bearer') return 'the code flow gives tokens of the type bearer only'
  if (grant !== 'client_credentials' && type === 'jwt') return '--type jwt goes with --grant client_credentials only'
  if (scope !== undefined && type !== 'mac') return '--scope broadcaster goes with --type mac only'
  return null
}

type Obtained = { readonly ok: true; readonly token: AccessToken } | { readonly ok: false; readonly fault: string }

async function obtain(io: CommandIo, service: Service, options: Options): Promise<Obtained> {
  const { grant, type, username = '' } = options
  const deps = { settings: service.settings, send: service.send, nowSeconds }
  const asked: TokenOptions = {
    signal: service.signal,
    ...(options.deviceName === undefined ? {} : { deviceName: options.deviceName }),
    ...(options.scope === undefined ? {} : { scope: options.scope }),
  }
  if (grant === 'client_credentials') return { ok: true, token: await requestToken(deps, { grant, type }, asked) }
  if (grant !== 'password') return { ok: true, token: await fromAuthorizationPage(io, service, options, grant) }
  if (type === 'jwt') return { ok: false, fault: 'The password grant gives no token of the type jwt.' }
  const read = await readKnownPassword(io, 'SERVICE_PASSWORD', `${username} at the video service`)
  if (!read.ok) return read
  return { ok: true, token: await requestToken(deps, { grant, type, username, password: read.password }, asked) }
}

async function fromAuthorizationPage(
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
    const arrived = listener.redirected(state, AbortSignal.any([signal, AbortSignal.timeout(PERSON_TIMEOUT_MS)]))
    stderr.write(`Open this address in a browser of this machine, sign in and allow the access:\n${address}\n`)
    const redirect = await arrived
    if (grant === 'implicit') return readImplicitToken(redirect, state, nowSeconds())
    const question = { grant, code: readCode(redirect, state), redirectUri }
    return await requestToken({ settings, send, nowSeconds }, question, { signal })
  } finally {
    listener.close()
  }
}

function outcomeOf({ stderr }: CommandIo, obtained: Obtained): Outcome {
  if (!obtained.ok) return obtained
  const { token } = obtained
  const expires = new Date(token.expiresAtSeconds * 1000).toISOString()
  stderr.write(`A token of the type ${token.type}, good until ${expires}. Keep it as you would a password.\n`)
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
