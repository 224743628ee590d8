/** A lazy `Array.map`. */
export function* mapEach<T, U>(items: Iterable<T>, map: (item: T) => U): Iterable<U> {
  for (const item of items) yield map(item)
}
