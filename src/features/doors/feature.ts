import { isDeepStrictEqual } from 'node:util'
import { defineFeature } from '../../login/feature.ts'
import { event } from '../../services/event/service.ts'
import { doorState } from './doors.ts'
import { type DoorSettings, doorsFields } from './fields.ts'
import type { WaitingCount } from './waiting/reload-time.ts'

/** Lets viewers watch only while the doors are open. No answer outlives the end. */
export const doors = defineFeature({
  ...doorsFields,
  needs: { event },
  outcomes: { waiting: { level: 'info', counted: 'onReturn', isSignIn: true } },
  async open(app) {
    const { nowSeconds, log } = app
    const { createGate } = await import('./gate.ts')
    const [{ createWaitingRoom }, { createWaitingCount }] = await Promise.all([
      import('./waiting/waiting-room.ts'),
      import('./waiting/reload-time.ts'),
    ])
    const known = new Map<string, DoorSettings>()
    /** Those who wait stay counted when the doors move. */
    const counts = new Map<string, WaitingCount>()
    return {
      at(entryPoint, settings) {
        const { name } = entryPoint
        const { windows, timeZone, message } = settings
        if (!isDeepStrictEqual(known.get(name) ?? settings, settings)) {
          log.info({ event: 'doors', entryPoint: name, windows, message }, 'The doors have changed')
        }
        known.set(name, settings)
        const decide = createGate(entryPoint, () => settings, nowSeconds)
        const opensAtSeconds = () => {
          const state = doorState(windows, nowSeconds())
          return state.name === 'not-open-yet' ? state.opensAtSeconds : null
        }
        app.event.set(name, () => {
          const opens = opensAtSeconds()
          const window = windows.find((one) => one.opensAtSeconds === opens)
          return { opensAtSeconds: opens, closesAtSeconds: window?.closesAtSeconds ?? null, timeZone }
        })
        if (!settings.hasWaitingRoom) return { gate: () => decide }
        const count = counts.get(name) ?? createWaitingCount(nowSeconds)
        counts.set(name, count)
        return createWaitingRoom({ decide, opensAtSeconds }, app, count)
      },
    }
  },
})
