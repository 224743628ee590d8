import type { Feature } from '../../login/feature.ts'
import { type DoorSettings, doorsFields } from './fields.ts'

/** Lets viewers watch only while the doors are open. No answer outlives the end. */
export const doors: Feature<ReturnType<typeof doorsFields.settings>, DoorSettings> = {
  ...doorsFields,
  async open({ nowSeconds, log }, entryPoints) {
    const [{ createGate }, { watchDoors }] = await Promise.all([import('./gate.ts'), import('./watch-doors.ts')])
    const watch = watchDoors(entryPoints, {
      onChange: (entryPoint, { windows }) => log.info({ event: 'doors', entryPoint, windows }, 'The doors have moved'),
      onFault: (entryPoint, fault) => log.warn({ event: 'doors', entryPoint }, `The doors stay as they are: ${fault}`),
    })
    return {
      at: ({ name }, settings) => ({ gate: () => createGate(() => watch.doorsOf(name, settings), nowSeconds) }),
      close: watch.close,
    }
  },
}
