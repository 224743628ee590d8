import { entryPointAt } from '../../login/entry-point.ts'
import type { FeatureScreens } from '../../login/screens/screen.ts'
import { asking } from './asking.ts'

/** The question before a viewer with a session goes on. */
export const askingScreens: FeatureScreens = {
  entryPoint: asking(entryPointAt('asking')),
  deps: {},
  screens: async (app, headers, Cookie) => [
    { name: 'asked', html: (await app.get('/e/asking', { ...headers, Cookie })).text },
  ],
}
