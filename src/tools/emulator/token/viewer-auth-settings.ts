import type { DatabaseSync } from 'node:sqlite'
import { parseContentPublicKey } from '../../../features/token/viewer-token/content-key.ts'
import { type ContentType, isEntryPoint } from '../rest/lock-settings.ts'

/** The settings of the second version of viewer authentication. */
export interface ViewerAuthSettings {
  readonly authUrl: string
  /** PEM, as received. */
  readonly publicKey: string
}

export type ViewerAuthReading =
  | { readonly ok: true; readonly settings: ViewerAuthSettings; readonly isPkcs1: boolean }
  | { readonly ok: false; readonly description: string }

/** Reads `auth_url` and `public_key`, both required. */
export function readViewerAuth(values: Readonly<Record<string, string>>): ViewerAuthReading {
  const { auth_url: authUrl, public_key: publicKey } = values
  if (authUrl === undefined || publicKey === undefined) {
    const missing = [authUrl === undefined && 'auth_url', publicKey === undefined && 'public_key'].filter(Boolean)
    return { ok: false, description: `Required parameters are missing: ${missing.join(' and ')}` }
  }
  if (!isEntryPoint(authUrl)) return { ok: false, description: 'auth_url must be an absolute http or https address' }
  const fault = faultInPublicKey(publicKey)
  if (fault !== null) return { ok: false, description: `public_key ${fault}` }
  return { ok: true, settings: { authUrl, publicKey }, isPkcs1: publicKey.includes('BEGIN RSA PUBLIC KEY') }
}

/** Returns why a text is not a public key of a channel or video, as the end of a sentence; null if it is one. */
export function faultInPublicKey(pem: string): string | null {
  try {
    parseContentPublicKey(pem)
    return null
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}

/** Sets or replaces the viewer authentication of the channel or video itself. */
export function setViewerAuth(
  database: DatabaseSync,
  type: ContentType,
  id: number,
  { authUrl, publicKey }: ViewerAuthSettings,
): void {
  database.prepare('INSERT OR REPLACE INTO viewer_auth VALUES (?, ?, ?, ?)').run(type, id, authUrl, publicKey)
}

/** Removes the viewer authentication of the channel or video itself. @returns true if there was one. */
export function removeViewerAuth(database: DatabaseSync, type: ContentType, id: number): boolean {
  return (
    database.prepare('DELETE FROM viewer_auth WHERE content_type = ? AND content_id = ?').run(type, id).changes === 1
  )
}
