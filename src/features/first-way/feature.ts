import { z } from 'zod'
import { ConfigError } from '../../errors.ts'
import { defineFeature } from '../../login/feature.ts'
import type { ScreenPart } from '../../login/screens/screen-part.ts'

const Name = z.string('must be text').regex(/^[a-z-]+$/, 'must be password, or the name of a feature')
const settings = () => ({ firstWay: Name.optional() })

/** The way to sign in that has the first screen: `password`, or the name of a feature. */
export const firstWay = defineFeature({
  name: 'first-way',
  settings,
  read: (given) => given.firstWay ?? null,
  open(_app, entryPoints) {
    for (const { entryPoint, settings: first } of entryPoints) {
      const isOn = first === 'password' ? entryPoint.hasPasswordForm : first in entryPoint.features
      if (!isOn) throw new ConfigError(`FIRST_WAY of entry point ${entryPoint.name} is off there: ${first}`)
    }
    return Promise.resolve({
      at: (_entryPoint, first) => ({
        order: (ways: readonly ScreenPart[]) =>
          ways.toSorted((a, b) => Number(b.name === first) - Number(a.name === first)),
      }),
    })
  },
})
