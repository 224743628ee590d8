declare module 'js-yaml' {
  /** @throws Error for what is no YAML. */
  export function load(text: string): unknown
}
