import type { RoomApp } from './room-app.ts'
import { STUDIO, STUDIO_CLIENT } from './room-database.ts'

export type TokenResponse = Awaited<ReturnType<typeof askForToken>>

/** `Authorization: Basic` of RFC 6749 2.3.1. */
export function basic({ clientId, clientSecret }: { clientId: string; clientSecret: string }): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`
}

export async function askForToken(
  app: Pick<RoomApp, 'url'>,
  fields: Record<string, string> | string,
  headers: Record<string, string> = { authorization: basic(STUDIO_CLIENT) },
) {
  const response = await fetch(`${app.url}/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, string | number>,
  }
}

/** Password grant for the user and the client of the studio. */
export const PASSWORD_GRANT = {
  grant_type: 'password',
  client_id: STUDIO_CLIENT.clientId,
  client_secret: STUDIO_CLIENT.clientSecret,
  username: STUDIO.username,
  password: STUDIO.password,
}

export const CLIENT_CREDENTIALS_GRANT = { grant_type: 'client_credentials', client_id: STUDIO_CLIENT.clientId }

export async function tokenFrom(app: Pick<RoomApp, 'url'>, fields: Record<string, string>): Promise<string> {
  const { body } = await askForToken(app, fields)
  return String(body.access_token)
}

export function without(fields: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name))
}
