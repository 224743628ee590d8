import type { Counter } from '../../sign-in-limits/memory-counters.ts'

type Around = <T>(key: string | number, step: (counter: Counter) => Promise<T>) => Promise<T>

/** Returns a counter whose steps all run through `around`, which gets the key and the step of another counter. */
export function eachStep(around: Around): Counter {
  return {
    get: (key) => around(key, (counter) => counter.get(key)),
    set: (key, points, forSeconds) => around(key, (counter) => counter.set(key, points, forSeconds)),
    penalty: (key, points, options) => around(key, (counter) => counter.penalty(key, points, options)),
    delete: (key) => around(key, (counter) => counter.delete(key)),
    giveBack: (key, points) => around(key, (counter) => counter.giveBack(key, points)),
    take: (key) => around(key, (counter) => counter.take(key)),
  }
}
