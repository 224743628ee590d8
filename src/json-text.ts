import { orUndefined } from './errors.ts'

/** Reads JSON. Returns undefined for any other text: the error of JSON.parse() would repeat a part of it. */
export function jsonIn(text: string): unknown {
  return orUndefined(() => JSON.parse(text))
}
