import { rmSync } from 'node:fs'
import type { Command } from 'commander'
import { revokeToken } from '../../../video-service/access-token.ts'
import { addExamples, addNotes, type CommandContext, type Outcome, runCommand } from '../../terminal/command.ts'
import { nowSeconds, withService } from '../service.ts'
import { keepLogin, readLogin } from './kept-login.ts'
import { obtainToken } from './obtain-token.ts'
import { pkceOption, redirectOption, refuseWrongChoice, scopeOption } from './token-choice.ts'

const NO_FILE = 'Set SERVICE_LOGIN_FILE to the file that keeps the login, such as data/login.json.'
const ABOUT = `
The file of SERVICE_LOGIN_FILE keeps the access token and the refresh token. Only you can read it. Other commands then use
this login, and get a new access token when it ends. A refresh token works for 30 days, and once: do not copy the
file. The service's newer pages have refresh tokens; its two documents do not say how to use them.`

interface LoginOptions {
  readonly json?: boolean
  readonly redirectUri?: string
  readonly pkce?: boolean
  readonly scope?: string
}

/** Adds `login`, which keeps the login of a user by its refresh token. */
export function addLoginCommand(command: Command, context: CommandContext): void {
  const { io } = context
  addNotes(addExamples(command, ['viewer-auth login', 'viewer-auth login --pkce']), ABOUT)
    .addOption(redirectOption())
    .addOption(pkceOption())
    .addOption(scopeOption())
    .action((options: LoginOptions, command: Command) => {
      const choice = { ...options, grant: 'authorization_code', type: 'bearer' } as const
      refuseWrongChoice(choice, command)
      return runCommand(context, options.json, () =>
        withService(io, async ({ settings, send, signal }): Promise<Outcome> => {
          const { loginFile: file } = settings
          if (file === null) return { ok: false, fault: NO_FILE }
          const obtained = await obtainToken(io, { settings, send, nowSeconds, signal }, choice)
          if (!obtained.ok) return obtained
          keepLogin(file, { settings }, obtained.token)
          return { ok: true, text: `The login is kept in ${file}.`, data: { file } }
        }),
      )
    })
}

/** Adds `logout`, which revokes the kept login and removes its file. */
export function addLogoutCommand(command: Command, context: CommandContext): void {
  addExamples(command, ['viewer-auth logout']).action((options: LoginOptions) =>
    runCommand(context, options.json, () =>
      withService(context.io, async ({ settings, send, signal }): Promise<Outcome> => {
        const { loginFile: file } = settings
        if (file === null) return { ok: false, fault: NO_FILE }
        const { refreshToken, accessToken } = readLogin(file, { settings })
        for (const token of [refreshToken, accessToken])
          await revokeToken({ settings, send, nowSeconds }, token, signal)
        rmSync(file)
        return { ok: true, text: `The login is revoked, and ${file} is removed.`, data: { file } }
      }),
    ),
  )
}
