import { type Command, InvalidArgumentError, Option } from 'commander'
import { hasBroadcaster } from '../../../video-service/access-token.ts'
import { faultInRedirectUri } from './redirect-receiver.ts'

const GRANTS = ['client_credentials', 'password', 'authorization_code', 'implicit'] as const
const ACCESS_GRANT = 'how to get the token (default: SERVICE_ACCESS_TOKEN, else client_credentials)'
const TYPES = ['bearer', 'mac', 'jwt'] as const

/** The kind of token that a command requests. */
export interface TokenChoice {
  readonly grant: (typeof GRANTS)[number]
  readonly type: (typeof TYPES)[number]
  readonly scope?: string | undefined
  readonly username?: string | undefined
  readonly redirectUri?: string | undefined
  /** Proves with PKCE that the code came back to this command. */
  readonly pkce?: boolean | undefined
}

/** The options of addAccessOptions(). */
export interface AccessOptions extends Pick<TokenChoice, 'username' | 'redirectUri'> {
  readonly grant?: TokenChoice['grant']
  readonly type?: TokenChoice['type']
}

/** Adds the options of `token`. */
export function addTokenOptions(command: Command): Command {
  return command
    .addOption(new Option('--grant <GRANT>', 'the OAuth 2.0 grant').choices(GRANTS).default('client_credentials'))
    .addOption(new Option('--type <TYPE>', 'the type of the token').choices(TYPES).default('bearer'))
    .addOption(scopeOption())
    .addOption(usernameOption())
    .addOption(redirectOption())
    .addOption(pkceOption())
}

/** Adds the options of a command that works with the token of the client, of a user, or of the environment. */
export function addAccessOptions(command: Command): Command {
  return command
    .addOption(new Option('--grant <GRANT>', ACCESS_GRANT).choices(GRANTS))
    .addOption(new Option('--type <TYPE>', 'the type of the token (default: bearer)').choices(['bearer', 'mac']))
    .addOption(usernameOption())
    .addOption(redirectOption())
}

/** Returns the choice of addAccessOptions(); null without one. A wrong combination ends the command as wrong usage. */
export function accessOf(options: AccessOptions, command: Command): TokenChoice | null {
  const { grant = 'client_credentials', type = 'bearer', username, redirectUri } = options
  const choice = { grant, type, username, redirectUri }
  refuseWrongChoice(choice, command)
  return options.grant === undefined && options.type === undefined ? null : choice
}

/** Ends the command as wrong usage if the service does not offer such a token. */
export function refuseWrongChoice(choice: TokenChoice, command: Command): void {
  const fault = faultIn(choice)
  if (fault !== null) command.error(`error: ${fault}`)
}

function faultIn({ grant, type, scope, username, redirectUri, pkce }: TokenChoice): string | null {
  const hasPage = grant === 'authorization_code' || grant === 'implicit'
  if (grant === 'password' && username === undefined) return '--grant password needs --username NAME'
  if (grant !== 'password' && username !== undefined) return 'use --username only with --grant password'
  if (!hasPage && redirectUri !== undefined) {
    return 'use --redirect-uri only with --grant authorization_code or --grant implicit'
  }
  if (pkce && grant !== 'authorization_code') return 'use --pkce only with --grant authorization_code'
  if (grant === 'authorization_code' && type !== 'bearer') return '--grant authorization_code gives bearer tokens only'
  if (grant === 'implicit' && type === 'jwt') {
    return 'use --type jwt only with --grant client_credentials or --grant password'
  }
  if (hasBroadcaster(scope) && type !== 'mac') return 'use --scope broadcaster only with --type mac'
  return null
}

function usernameOption(): Option {
  return new Option('--username <NAME>', 'the user of the video service, with --grant password')
}

/** Several scopes are one argument, as in the request. A service of the two documents has `broadcaster` only. */
export function scopeOption(): Option {
  const summary = 'scopes with spaces between them; broadcaster, with a MAC token, allows broadcasting'
  return new Option('--scope <SCOPES>', summary).argParser((text: string) => {
    // RFC 6749, 3.3.
    if (/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text)) return text
    throw new InvalidArgumentError('Use names with one space between them.')
  })
}

export function pkceOption(): Option {
  return new Option('--pkce', 'prove with PKCE that the code came back to this command (newer services)')
}

export function redirectOption(): Option {
  const summary = 'where the authorization page sends the browser (default: a free port of 127.0.0.1, /callback)'
  return new Option('--redirect-uri <URL>', summary).argParser((text: string) => {
    const fault = faultInRedirectUri(text)
    if (fault !== null) throw new InvalidArgumentError(`It ${fault}.`)
    return text
  })
}
