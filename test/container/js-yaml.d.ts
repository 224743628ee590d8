declare module 'js-yaml' {
  /** @throws Error for invalid YAML. */
  export function load(text: string): unknown
}
