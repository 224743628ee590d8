import { defineFeature } from '../../login/feature.ts'
import { doorState } from './doors.ts'
import { doorsFields } from './fields.ts'

/** Lets viewers watch only while the doors are open. No answer outlives the end. */
export const doors = defineFeature({
  ...doorsFields,
  outcomes: { waiting: { level: 'info', counted: 'onReturn', isSignIn: true } },
  async open(app, entryPoints) {
    const { nowSeconds, log } = app
    const [{ createGate }, { watchDoors }] = await Promise.all([import('./gate.ts'), import('./watch-doors.ts')])
    const { createWaitingRoom } = await import('./waiting/waiting-room.ts')
    const watch = watchDoors(entryPoints, {
      onChange: (entryPoint, { windows }) => log.info({ event: 'doors', entryPoint, windows }, 'The doors have moved'),
      onFault: (entryPoint, fault) => log.warn({ event: 'doors', entryPoint }, `The doors stay as they are: ${fault}`),
    })
    return {
      at({ name }, settings) {
        const doorsNow = () => watch.doorsOf(name, settings)
        const decide = createGate(doorsNow, nowSeconds)
        if (!settings.hasWaitingRoom) return { gate: () => decide }
        const opensAtSeconds = () => {
          const state = doorState(doorsNow().windows, nowSeconds())
          return state.name === 'not-open-yet' ? state.opensAtSeconds : null
        }
        return createWaitingRoom({ decide, opensAtSeconds }, app)
      },
      close: watch.close,
    }
  },
})
