import { z } from 'zod'
import { defineFeature } from '../../login/feature.ts'
import type { ScreenPart } from '../../login/screens/screen-part.ts'

const Name = z.string('must be text').regex(/^[a-z-]+$/, 'must be password, or the name of a feature')
const settings = () => ({ firstWay: Name.optional() })

/** The way to sign in that has the first screen: `password`, or the name of a feature. */
export const firstWay = defineFeature({
  name: 'first-way',
  settings,
  read: (given) => given.firstWay ?? null,
  faultWith(_userStore, first: string, { name, hasPasswordForm, features }) {
    const isOn = first === 'password' ? hasPasswordForm : first in features
    return isOn ? null : `FIRST_WAY of entry point ${name} is off there: ${first}`
  },
  open: () =>
    Promise.resolve({
      at: (_entryPoint, first) => ({
        order: (ways: readonly ScreenPart[]) =>
          ways.toSorted((a, b) => Number(b.name === first) - Number(a.name === first)),
      }),
    }),
})
