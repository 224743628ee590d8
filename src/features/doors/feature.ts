import { defineFeature } from '../../login/feature.ts'
import { event } from '../../services/event/service.ts'
import { doorState } from './doors.ts'
import { doorsFields } from './fields.ts'

/** Lets viewers watch only while the doors are open. No answer outlives the end. */
export const doors = defineFeature({
  ...doorsFields,
  needs: { event },
  outcomes: { waiting: { level: 'info', counted: 'onReturn', isSignIn: true } },
  async open(app, entryPoints) {
    const { nowSeconds, log } = app
    const [{ createGate }, { watchDoors }] = await Promise.all([import('./gate.ts'), import('./watch-doors.ts')])
    const { createWaitingRoom } = await import('./waiting/waiting-room.ts')
    const watch = watchDoors(entryPoints, {
      onChange: (entryPoint, { windows, message }) =>
        log.info({ event: 'doors', entryPoint, windows, message }, 'The doors have changed'),
      onFault: (entryPoint, fault) => log.warn({ event: 'doors', entryPoint }, `The doors stay as they are: ${fault}`),
    })
    return {
      at(entryPoint, settings) {
        const doorsNow = () => watch.doorsOf(entryPoint.name, settings)
        const decide = createGate(entryPoint, doorsNow, nowSeconds)
        const opensAtSeconds = () => {
          const state = doorState(doorsNow().windows, nowSeconds())
          return state.name === 'not-open-yet' ? state.opensAtSeconds : null
        }
        app.event.set(entryPoint.name, () => {
          const { windows, timeZone } = doorsNow()
          const opens = opensAtSeconds()
          const window = windows.find((one) => one.opensAtSeconds === opens)
          return { opensAtSeconds: opens, closesAtSeconds: window?.closesAtSeconds ?? null, timeZone }
        })
        if (!settings.hasWaitingRoom) return { gate: () => decide }
        return createWaitingRoom({ decide, opensAtSeconds }, app)
      },
      close: watch.close,
    }
  },
})
