import type { LockTarget } from '../locks.ts'
import type { RestApi } from '../rest-api.ts'
import { UnexpectedAnswer } from '../service-errors.ts'

/** The settings of viewer auth, the second version of a lock. The service never shows them. */
export interface ViewerAuthSettings {
  /** The address of the entry point. */
  readonly authUrl: string
  /** The public key of the channel or video, in PEM form. */
  readonly publicKey: string
}

/**
 * Sets viewer auth, replacing what is there (documentation of the service: "Viewer authentication API v2"). A video
 * without its own has that of its channel. The service does not return it.
 * @throws ServiceRefusal `invalid_request`, `lack_of_ownership`, `not_found`. UnexpectedAnswer for a status that is not
 *   documented. Other errors as Transport.
 */
export async function setViewerAuth(
  api: RestApi,
  target: LockTarget,
  { authUrl, publicKey }: ViewerAuthSettings,
  signal?: AbortSignal,
): Promise<void> {
  const form = { auth_url: authUrl, public_key: publicKey }
  expectDone(await api({ method: 'PUT', path: pathOf(target), form, signal }))
}

/** Removes viewer auth. A video then has that of its channel. @throws as setViewerAuth(). */
export async function removeViewerAuth(api: RestApi, target: LockTarget, signal?: AbortSignal): Promise<void> {
  expectDone(await api({ method: 'DELETE', path: pathOf(target), signal }))
}

function expectDone({ status }: { readonly status: number }): void {
  if (status !== 204) throw new UnexpectedAnswer(`The service answered with the unknown status ${status}`)
}

function pathOf({ kind, id }: LockTarget): string {
  return `/${kind === 'channel' ? 'channels' : 'videos'}/${encodeURIComponent(id)}/viewer-auth.json`
}
