import { Secret, TOTP } from 'otpauth'
import { EmulatorStartError } from '../../companion.ts'

/** Returns the code that an authenticator app would show now. */
export function codeNow(secret: string): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate()
}

/**
 * Signs in to the page for managers as a browser does, and sets up the second step. So the demo knows the secret that
 * otherwise only a phone knows: the page has no setting for it.
 * @returns the secret.
 */
export async function setUpSecondStep(origin: string, name: string, password: string): Promise<string> {
  const cookies = new Map<string, string>()
  async function send(path: string, fields?: Readonly<Record<string, string>>): Promise<string> {
    const headers = { Cookie: [...cookies.values()].join('; '), Origin: origin }
    const post = fields && { method: 'POST', body: new URLSearchParams(fields) }
    const answer = await fetch(origin + path, { ...post, redirect: 'manual', headers })
    for (const line of answer.headers.getSetCookie()) {
      const [cookie = ''] = line.split(';')
      cookies.set(cookie.split('=')[0] ?? '', cookie)
    }
    return await answer.text()
  }
  const found = (html: string, pattern: RegExp) => pattern.exec(html)?.[1] ?? ''
  const token = (html: string) => found(html, /name="token" value="([^"]+)"/)
  await send('/sign-in', { name, password, token: token(await send('/sign-in')) })
  const page = await send('/second-step')
  const secret = found(page, /class="secret">([^<]+)/).replaceAll(' ', '')
  if (secret === '') throw new EmulatorStartError('Could not set up the second step of the page for managers.')
  await send('/second-step', { token: token(page), code: codeNow(secret) })
  return secret
}
