import type { Command } from 'commander'
import { addExamples, addNotes, type CommandContext, type Outcome, runCommand } from '../../terminal/command.ts'
import type { CommandIo } from '../../terminal/io.ts'
import { nowSeconds, withService } from '../service.ts'
import { obtainToken, type TokenResult } from './obtain-token.ts'
import { addTokenOptions, refuseWrongChoice, type TokenChoice } from './token-choice.ts'

const ABOUT = `
Standard output is only the token, so that TOKEN=$(viewer-auth token) works. A MAC token takes three lines: id, key,
created_at. --json also has the refresh token of an authorization code. --grant password reads the password from
SERVICE_PASSWORD, a prompt or standard input. --grant authorization_code and implicit print an address: open it in a
browser on this machine. Without --redirect-uri, the page sends the browser to http://127.0.0.1:PORT/callback with a free
port. No registered prefix covers that by the letter: it works only if the service ignores the port of the prefix
http://127.0.0.1/callback. Else register an address with a port, and use it as --redirect-uri.`

/** Adds `token`, which requests an access token of the video service by one of its grants. */
export function addTokenCommand(command: Command, context: CommandContext): void {
  const withExamples = addExamples(command, [
    'viewer-auth token',
    'viewer-auth token --type jwt   # for the analytics API',
    'viewer-auth token --type mac --scope broadcaster --json',
    'viewer-auth token --grant password --username studio',
    'viewer-auth token --grant authorization_code',
    'viewer-auth token --grant authorization_code --redirect-uri http://127.0.0.1:8765/callback',
    'viewer-auth token --grant authorization_code --redirect-uri https://www.example.com/signed-in',
  ])
  addTokenOptions(addNotes(withExamples, ABOUT)).action(
    (options: TokenChoice & { readonly json?: boolean }, command: Command) => {
      refuseWrongChoice(options, command)
      return runCommand(context, options.json, () =>
        withService(context.io, async ({ settings, send, signal }) =>
          outcomeOf(context.io, await obtainToken(context.io, { settings, send, nowSeconds, signal }, options)),
        ),
      )
    },
  )
}

function outcomeOf({ stderr }: CommandIo, result: TokenResult): Outcome {
  if (!result.ok) return result
  const { token } = result
  const expires = new Date(token.expiresAtSeconds * 1000).toISOString()
  stderr.write(`This ${token.type} token expires at ${expires}. Keep it secret, like a password.\n`)
  if (token.type !== 'mac') {
    const refresh = token.refreshToken === undefined ? {} : { refresh_token: token.refreshToken }
    const data = { type: token.type, access_token: token.value, ...refresh, expires_at: expires }
    return { ok: true, text: token.value, data }
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
