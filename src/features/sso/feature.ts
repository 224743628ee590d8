import { defineFeature } from '../../login/feature.ts'
import { signInWindow } from '../../services/window/service.ts'
import { capacityOfBegun } from '../../sign-in-limits/capacity.ts'
import { ssoFields } from './settings/fields.ts'

/** Single sign-on with OpenID Connect, in a window of its own beside the frame of the player. */
export const sso = defineFeature({
  ...ssoFields,
  needs: { signInWindow },
  isFixed: true,
  outcomes: {
    'sso-started': { level: 'info', counted: 'always' },
    'sso-signed-in': { level: 'info' },
    'sso-not-yet': { level: 'warn', counted: 'always' },
    'sso-refused': { level: 'warn', counted: 'always' },
    'sso-logged-out': { level: 'info' },
    'sso-logout-refused': { level: 'warn', counted: 'always' },
    'sso-failed': { level: 'error', counted: 'always', isOfAll: true },
  },
  capacityOf: ({ addressLimit }) => capacityOfBegun('single sign-on', addressLimit),
  async open(app, entryPoints) {
    // Loaded late, because apps without single sign-on do not need its libraries.
    const [{ openSso }, { createSso }] = await Promise.all([import('./open-sso.ts'), import('./create-sso.ts')])
    return createSso(openSso(app, entryPoints), app)
  },
})
