declare module 'js-yaml' {
  /** @throws Error for invalid YAML. */
  export function load(text: string): unknown
  /** Calls back with each document of the text. @throws Error for invalid YAML. */
  export function loadAll(text: string, each: (document: unknown) => void): void
}
