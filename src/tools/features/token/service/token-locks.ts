import type { LockKind } from '../../../cli/service/lock-kind.ts'
import { openLockRecords, whenSet } from '../../../cli/service/lock-records.ts'
import { withService } from '../../../cli/service/service.ts'
import { readServiceSettings } from '../../../cli/settings/video-service/read-service-settings.ts'
import { expectedViewerAuth, RECORDS, removeTokenLock, setTokenLock, showTokenLock } from './viewer-auth-lock.ts'

/** Viewer auth, the locks of viewer tokens. */
export const tokenLocks: LockKind = {
  name: 'token',
  about:
    'With VIEWER_AUTH=token, the service gets the public key of the entry point. It shows neither this key nor the address.',
  examples: [
    'viewer-auth lock set --channel 1002 --viewer-auth token   # the public key of CONTENT_KEY',
    'viewer-auth lock set --channel 1002 --viewer-auth token --url https://login.example.com/ --public-key public.pem',
  ],
  keyFlag: '--public-key',
  keyHelp: 'with --viewer-auth token: the public key in this file instead of that of CONTENT_KEY',
  rotateHint: 'see "Change the key" in src/tools/cli/service/README.md',
  async set(io, target, { entryPoint, url, keyFile, yes }, access) {
    const wanted = expectedViewerAuth(io.env, entryPoint, { url, publicKey: keyFile })
    return await withService(io, (service) => setTokenLock(io, service, target, wanted, yes), access)
  },
  show(io, target, entryPoint) {
    const wanted = expectedViewerAuth(io.env, entryPoint)
    return showTokenLock(io, { settings: readServiceSettings(io.env) }, target, wanted)
  },
  remove: (io, target, yes, access) => withService(io, (service) => removeTokenLock(io, service, target, yes), access),
  appliesTo(io, serviceUrl, target) {
    const record = openLockRecords(io, serviceUrl, RECORDS).find(target)
    return record && `its viewer auth applies, which lock set gave it ${whenSet(record)}`
  },
}
