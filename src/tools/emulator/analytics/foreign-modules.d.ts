/** Types of two packages without types, for the parts in use. device.ts checks what they return. */
declare module 'uap-ref-impl' {
  interface Parser {
    parse(userAgent: string): unknown
  }
  // biome-ignore lint/style/noDefaultExport: the package is CommonJS and exports a function
  export default function makeParser(regexes: object): Parser
}

declare module 'js-yaml' {
  export function load(text: string): unknown
}
